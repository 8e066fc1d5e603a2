import { isJson, type WireError } from "#contract";

const MEMBERS = ["message", "type", "param", "code"] as const;

/**
 * Reads `{error: {message, type, param, code}}` of the models, the same without `type` of the resource, and the flat
 * `{statusCode, message}` of an API management before it. What a body does not say stays out.
 */
export function readError(_status: number, body: unknown): Partial<WireError> {
  const outer = isJson(body) ? body : {};
  const error = isJson(outer["error"]) ? outer["error"] : outer;
  return Object.fromEntries(MEMBERS.map((member) => [member, textOf(error[member])] as const).filter(([, text]) => text !== undefined));
}

/** Codes may be numbers on the wire. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" || typeof value === "number" ? String(value) : undefined);
