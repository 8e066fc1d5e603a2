import type { Json, JsonText } from "#contract";
import { joined } from "../../json/utf8.ts";
import { writtenInTurns } from "../../json/written.ts";
import type { Content } from "../stream/content.ts";

type Whole = Extract<Content, { kind: "whole" }>;

/** A whole answer as the client gets it: the provider's own text, with the results of guardrails as its last member. */
export function clientText({ body, hooks }: Pick<Whole, "body" | "hooks">, text: string): string {
  if (hooks === undefined || body === null) return text;
  if (isTaken(body)) return JSON.stringify(withOurs(body, hooks));
  return text.slice(0, text.lastIndexOf("}")) + lastMember(body, hooks);
}
/** The same for one that may be long. */
export async function longClientText({ text, body, hooks }: Whole): Promise<JsonText> {
  if (hooks === undefined || body === null) return text;
  if (typeof text === "string") return clientText({ body, hooks }, text);
  if (isTaken(body)) return writtenInTurns(withOurs(body, hooks));
  return joined([text.subarray(0, text.lastIndexOf(BRACE)), new TextEncoder().encode(lastMember(body, hooks))]);
}
const MEMBER = "hook_results";
const BRACE = "}".charCodeAt(0);

/** By a gateway before us. */
const isTaken = (body: Json): boolean => Object.hasOwn(body, MEMBER);
const withOurs = (body: Json, hooks: string): Json => ({ ...body, [MEMBER]: JSON.parse(hooks) });
const lastMember = (body: Json, hooks: string): string => `${isEmpty(body) ? "" : ","}"${MEMBER}":${hooks}}`;

function isEmpty(body: Json): boolean {
  for (const _ in body) return false;
  return true;
}
