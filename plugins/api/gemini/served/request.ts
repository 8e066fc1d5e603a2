import type { Json, ServedTo } from "#contract";
import { named } from "../wire.ts";
import { generationMembers } from "./generation.ts";
import { refused } from "./refused.ts";
import { toolMembers } from "./tools.ts";
import { systemTurn, turnsOf } from "./turns.ts";

/**
 * Members of the gemini form: mapped below, or without meaning to others. `safetySettings` set Google's own filters, and
 * `labels` its bills; what is not named travels on.
 */
const MEMBERS: ReadonlySet<string> = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "safetySettings",
  "cachedContent",
  "labels",
  "serviceTier",
  "store",
]);

/** A request of this form as the chat completion that asks the same. */
export function chatRequest(body: Json, to: ServedTo): Json {
  const request = named(body);
  if (request.cachedContent !== undefined && request.cachedContent !== null) throw refused("cachedContent", "cachedContent");
  const travelling = Object.fromEntries(Object.entries(body).filter(([member]) => !isMapped(member)));
  return {
    ...travelling,
    messages: [...systemTurn(request.systemInstruction), ...turnsOf(request.contents, to)],
    ...generationMembers(request.generationConfig, to),
    ...toolMembers(request),
  };
}
const isMapped = (member: string): boolean => MEMBERS.has(Object.keys(named({ [member]: null }))[0] ?? "");
