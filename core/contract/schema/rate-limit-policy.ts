import { type Static, Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { Nullable, OneOf, Stamps, Uuid } from "./column.ts";

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

/** Specification 2.14, E12. */
export const RateLimitPolicies = defineCollection({
  name: "rate_limit_policies",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Uuid("Workspace it applies to."),
    name: Nullable(Type.String({ maxLength: 255, description: "Name." })),
    target: OneOf(["llm", "mcp_tools"], { default: "llm", description: "What it limits." }),
    type: OneOf(["requests", "tokens"], { description: "What is counted." }),
    unit: OneOf(["rpm", "rph", "rpd", "rpw"], { description: "Per minute, hour, day or week." }),
    value: Type.Number({ minimum: 0, description: "How many per unit." }),
    conditions: Type.Array(Condition, { description: "When it applies." }),
    group_by: Type.Array(GroupBy, { description: "How counters are split." }),
    status: OneOf(["active", "archived"], { default: "active", description: "State." }),
  }),
  index: [["workspace_id", "status"]],
});
