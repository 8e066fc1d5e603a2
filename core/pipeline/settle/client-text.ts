import type { Json } from "#contract";
import type { Content } from "../reply.ts";

/** A whole answer as the client gets it: the provider's own text, with the results of guardrails as its last member. */
export function clientText({ text, body, hooks }: Extract<Content, { kind: "whole" }>): string {
  if (hooks === undefined || body === null) return text;
  if (Object.hasOwn(body, MEMBER)) return JSON.stringify({ ...body, [MEMBER]: JSON.parse(hooks) }); // of a gateway before us
  return `${text.slice(0, text.lastIndexOf("}"))}${isEmpty(body) ? "" : ","}"${MEMBER}":${hooks}}`;
}
const MEMBER = "hook_results";

function isEmpty(body: Json): boolean {
  for (const _ in body) return false;
  return true;
}
