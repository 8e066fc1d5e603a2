import { type Static, Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { OneOf } from "./column.ts";

const OneOrMany = (description: string) =>
  Type.Union([Type.String({ maxLength: 512 }), Type.Array(Type.String({ maxLength: 512 }), { minItems: 1, maxItems: 1000 })], {
    description,
  });

/** What a policy looks at. `*` matches anything; an array means "one of"; all conditions must hold. */
export const Condition = Type.Object(
  {
    key: Type.String({
      maxLength: 255,
      description:
        "`api_key`, `workspace_id`, `virtual_key`, `provider`, `config`, `prompt`, `model`, `endpoint_type`, `metadata.<key>` (and `mcp_server`, `mcp_tool` for MCP).",
    }),
    value: OneOrMany("Value or values to match."),
    excludes: Type.Optional(OneOrMany("Values taken out of the match.")),
  },
  { additionalProperties: false },
);
export type Condition = Static<typeof Condition>;
export const GroupBy = Type.Object(
  { key: Type.String({ maxLength: 255, description: "Each distinct value has a counter of its own." }) },
  { additionalProperties: false },
);

/** Limits of requests or tokens in a window of time, by what identifies a caller. */
export const RateLimitPolicies = collectionOf({
  name: "rate_limit_policies",
  tenancy: "workspace",
  fields: {
    name: field(Type.String({ maxLength: 255, description: "Name." }), { create: "optional", update: true, view: true }),
    target: field(OneOf(["llm", "mcp_tools"], { description: "What it limits. It cannot be changed later." }), {
      create: "optional",
      view: true,
      default: "llm",
    }),
    type: field(OneOf(["requests", "tokens"], { description: "What is counted." }), { create: "required", view: true }),
    unit: field(OneOf(["rpm", "rph", "rpd", "rpw"], { description: "Per minute, hour, day or week." }), {
      create: "required",
      update: true,
      view: true,
    }),
    value: field(Type.Number({ minimum: 0, description: "How many per unit." }), { create: "required", update: true, view: true }),
    conditions: field(Type.Array(Condition, { minItems: 1, maxItems: 100, description: "When it applies; all must hold." }), {
      create: "required",
      update: true,
      view: true,
    }),
    group_by: field(
      Type.Array(GroupBy, { minItems: 1, maxItems: 20, description: "Every distinct combination has a counter of its own." }),
      { create: "required", view: true },
    ),
    status: field(OneOf(["active", "archived"], { description: "State." }), { view: true, default: "active" }),
  },
  index: [["workspace_id", "status"]],
});
