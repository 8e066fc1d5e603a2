import { Type } from "@sinclair/typebox";
import { OneOf, REQUEST_TYPES, defineCheck } from "#contract";
import { decided } from "../text.ts";

/** A request's metadata may hold such lists too, as long as its headers may be. */
const MAX_LIST_CHARS = 10_000;
const MAX_TYPES = 1_000;

/** A list, or the same as text with commas. */
const Types = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Array(OneOf(REQUEST_TYPES, { description: "Request type." }), { maxItems: MAX_TYPES }),
        Type.String({ maxLength: MAX_LIST_CHARS }),
      ],
      { description },
    ),
  );

export default defineCheck({
  id: "default.allowedRequestTypes",
  title: "Request type is allowed",
  on: ["input"],
  wants: [],
  judgesPassing: () => true,
  params: Type.Object({
    allowedTypes: Types("Request types to allow; all when empty. Default: the metadata key `supported_endpoints`."),
    blockedTypes: Types("Request types to block; blocking wins. Default: the metadata key `blocked_endpoints`."),
  }),
  problems: ({ allowedTypes, blockedTypes }) => [
    ...unknown(listOf(allowedTypes)),
    ...unknown(listOf(blockedTypes)),
    ...clashes(listOf(allowedTypes), listOf(blockedTypes)),
  ],
  run({ call: { requestType, metadata }, params }) {
    if (!areGiven(params) && LISTS.some((name) => (metadata[name]?.length ?? 0) > MAX_LIST_CHARS))
      return { verdict: "error", class: "budget", message: `A list in the metadata has more than ${MAX_LIST_CHARS} characters.` };
    const { allowed, blocked, source } = listsFrom(params, metadata);
    const [clash] = clashes(allowed, blocked);
    if (clash !== undefined) return { verdict: "error", class: "config", message: clash };
    const isBlocked = blocked.includes(requestType);
    const verdict = !isBlocked && (allowed.length === 0 || allowed.includes(requestType));
    const explanation = `Request type ${requestType} is ${verdict ? "allowed" : isBlocked ? "blocked" : "not on the list of allowed types"}.`;
    const mode = MODES[`${allowed.length > 0}-${blocked.length > 0}`];
    return decided(verdict, {
      currentRequestType: requestType,
      allowedTypes: allowed.length > 0 ? allowed : ["all"],
      blockedTypes: blocked,
      verdict,
      source,
      mode,
      explanation,
    });
  },
});

/** Do the parameters say anything at all? */
const areGiven = ({ allowedTypes = [], blockedTypes = [] }: { readonly allowedTypes?: Given; readonly blockedTypes?: Given }): boolean =>
  listOf(allowedTypes).length + listOf(blockedTypes).length > 0;

/** Metadata keys that hold lists. */
const LISTS = ["supported_endpoints", "blocked_endpoints"] as const;
const MODES = { "false-false": "unrestricted", "true-false": "allowlist", "false-true": "blocklist", "true-true": "combined" } as const;

type Given = string | readonly string[] | undefined;
const listOf = (given: Given): readonly string[] => [
  ...new Set(
    typeof given === "string"
      ? given
          .split(",")
          .map((type) => type.trim())
          .filter((type) => type !== "")
      : given,
  ),
];

/** Parameters win over metadata; metadata speaks only when the parameters say nothing at all. */
function listsFrom(
  { allowedTypes = [], blockedTypes = [] }: { readonly allowedTypes?: Given; readonly blockedTypes?: Given },
  metadata: Readonly<Record<string, string>>,
) {
  if (areGiven({ allowedTypes, blockedTypes }))
    return { allowed: listOf(allowedTypes), blocked: listOf(blockedTypes), source: "parameters" };
  const fromMetadata = { allowed: listOf(metadata["supported_endpoints"]), blocked: listOf(metadata["blocked_endpoints"]) };
  return { ...fromMetadata, source: fromMetadata.allowed.length + fromMetadata.blocked.length > 0 ? "metadata" : "default" };
}

const unknown = (types: readonly string[]): readonly string[] =>
  types.filter((type) => !(REQUEST_TYPES as readonly string[]).includes(type)).map((type) => `There is no request type ${type}.`);
function clashes(allowed: readonly string[], blocked: readonly string[]): readonly string[] {
  const isBlocked = new Set(blocked);
  return allowed.filter((type) => isBlocked.has(type)).map((type) => `The request type ${type} is both allowed and blocked.`);
}
