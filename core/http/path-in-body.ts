import { GatewayError, isJson, type Json, type Route } from "#contract";
import type { Params } from "./mount.ts";

/**
 * A body without what it says again of its path: older clients send the id of what they change in both places. It has to
 * be the same there, and where the body has a member of that name of its own, it means that one.
 */
export function withoutPath({ path, body }: Pick<Route, "path" | "body">): (sent: Json, params: Params) => Json {
  const own: unknown = body?.["properties"];
  const names = [...path.matchAll(/:([\w-]+)/g)].flatMap(([, param = ""]) => spellingsOf(param).map((name) => ({ name, param })));
  const repeatable = names.filter(({ name }) => !(isJson(own) && Object.hasOwn(own, name)));
  return (sent, params) => {
    const repeated = isJson(sent) ? repeatable.filter(({ name }) => Object.hasOwn(sent, name)) : [];
    if (repeated.length === 0) return sent;
    for (const { name, param } of repeated) if (sent[name] !== params[param]) throw disagreement(name);
    return Object.fromEntries(Object.entries(sent).filter(([member]) => !repeated.some(({ name }) => name === member)));
  };
}

/** `guardrailId` is `guardrail_id` in a body, too. */
const spellingsOf = (param: string): readonly string[] => [
  ...new Set([param, param.replaceAll("-", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
];
const disagreement = (name: string): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `The member ${name} is not what the path says; leave it out, or send the same.` },
    { param: name },
  );
