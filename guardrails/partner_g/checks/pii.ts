import { type Static, Type } from "@sinclair/typebox";
import { remoteCheckOfEach, SAID, type TextFinding } from "#contract";
import { addressOf, type Host, Params } from "../ask.ts";

const Entity = Type.Object({
  entity_type: Type.String(),
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 0 }),
  pii: Type.Optional(Type.String()),
});
type Entity = Static<typeof Entity>;
const Result = Type.Object({
  flagged: Type.Boolean(),
  payload: Type.Optional(Type.Object({ pii: Type.Optional(Type.Array(Entity)) })),
});
const Reply = Type.Object({ results: Type.Array(Result, { minItems: 1 }) });

export default (host: Host) =>
  remoteCheckOfEach(host, {
    id: "partner_g.pii",
    title: "No personal data",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    reply: Reply,
    url: () => addressOf("pii"),
    headers: () => ({}),
    ask: ({ text }) => ({ input: text }),
    judge: ({ results }, { text }, { params }) => found(text, results[0] as Static<typeof Result>, params.redact), // there is one, by the schema
  });

function found(text: string, { flagged, payload }: Static<typeof Result>, redact: boolean): TextFinding {
  if (!flagged) return { reason: null };
  const entities = payload?.pii ?? [];
  const types = [...new Set(entities.map(({ entity_type }) => entity_type))];
  const data = { flagged, entities: types };
  const redacted = redact && entities.length > 0 ? without(entities, text) : undefined;
  return { reason: `Personal data: ${types.join(", ") || "found"}.`, data, ...(redacted !== undefined && { redacted }) };
}

/** The text with each entity's type in its place; `undefined` where it cannot be told where one stands. */
function without(entities: readonly Entity[], text: string): string | undefined {
  const characters = [...text];
  const counted = characters.length === text.length ? text : undefined; // otherwise nobody says whether a character is one or two units
  let left = text;
  for (const entity of entities.toSorted((a, b) => b.start - a.start)) {
    const { start, end, pii = counted?.slice(start, end) ?? "" } = entity;
    const at = left.slice(start, end) === pii ? start : characters.slice(0, start).join("").length;
    if (pii === "" || left.slice(at, at + pii.length) !== pii) return undefined;
    left = `${left.slice(0, at)}[${entity.entity_type.toUpperCase()}]${left.slice(at + pii.length)}`;
  }
  return left;
}
