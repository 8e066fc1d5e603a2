import { CheckFault, ERRORS, type ErrorCode, GatewayError, type Json, messageOf } from "#contract";
import { isExhaustion } from "../exhaustion.ts";
import type { Thrown } from "./wire.ts";

/** What an error is worded with, written by `plain` of another error's. */
type Worded = ConstructorParameters<typeof GatewayError>[1];
const MAX_CHARS = 1_000;

/** What was thrown, as it travels. */
export function thrownOf(thrown: unknown): Thrown {
  const message = messageOf(thrown).slice(0, MAX_CHARS);
  if (CheckFault.is(thrown)) return { message, fault: thrown.errorClass };
  if (isExhaustion(thrown)) return { message, fault: "budget" };
  return GatewayError.is(thrown) ? { message, code: thrown.code, details: plain(thrown.details) } : { message };
}

/** The same, to be thrown where it arrives. */
export function errorFrom({ message, fault, code, details = {} }: Thrown): Error {
  if (fault !== undefined) return new CheckFault(fault, message);
  return code !== undefined && Object.hasOwn(ERRORS, code) ? new GatewayError(code as ErrorCode, details as Worded) : new Error(message);
}

/** Details are shown and hold no secrets; what is no JSON is left out. */
function plain(details: Readonly<Record<string, unknown>>): Json {
  const text = JSON.stringify(details);
  return text.length > MAX_CHARS * 10 ? {} : (JSON.parse(text) as Json); // an object stays one
}
