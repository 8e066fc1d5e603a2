import { Type } from "@sinclair/typebox";
import { OneOf, REQUEST_TYPES, defineCheck } from "#contract";
import { decided } from "../text.ts";

/** A list, or the same as text with commas. */
const Types = (description: string) =>
  Type.Optional(Type.Union([Type.Array(OneOf(REQUEST_TYPES, { description: "Request type." })), Type.String()], { description }));

export default defineCheck({
  id: "default.allowedRequestTypes",
  title: "Request type is allowed",
  on: ["input"],
  wants: [],
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

const MODES = { "false-false": "unrestricted", "true-false": "allowlist", "false-true": "blocklist", "true-true": "combined" } as const;

type Given = string | readonly string[] | undefined;
const listOf = (given: Given): readonly string[] =>
  typeof given === "string"
    ? given
        .split(",")
        .map((type) => type.trim())
        .filter((type) => type !== "")
    : (given ?? []);

/** Parameters win over metadata; metadata speaks only when the parameters say nothing at all. */
function listsFrom(
  { allowedTypes, blockedTypes }: { readonly allowedTypes?: Given; readonly blockedTypes?: Given },
  metadata: Readonly<Record<string, string>>,
) {
  const [allowed, blocked] = [listOf(allowedTypes), listOf(blockedTypes)];
  if (allowed.length + blocked.length > 0) return { allowed, blocked, source: "parameters" };
  const fromMetadata = { allowed: listOf(metadata["supported_endpoints"]), blocked: listOf(metadata["blocked_endpoints"]) };
  return { ...fromMetadata, source: fromMetadata.allowed.length + fromMetadata.blocked.length > 0 ? "metadata" : "default" };
}

const unknown = (types: readonly string[]): readonly string[] =>
  types.filter((type) => !(REQUEST_TYPES as readonly string[]).includes(type)).map((type) => `There is no request type ${type}.`);
const clashes = (allowed: readonly string[], blocked: readonly string[]): readonly string[] =>
  allowed.filter((type) => blocked.includes(type)).map((type) => `The request type ${type} is both allowed and blocked.`);
