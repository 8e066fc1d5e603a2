import { type Static, Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Stamps, Uuid } from "./column.ts";

/** Specification 2.3. */
export const GuardrailCheck = Type.Object(
  {
    id: Type.String({ description: "Check id, `<pack>.<check>`.", maxLength: 128 }),
    parameters: Type.Optional(JsonObject("Parameters, by the check's own schema.")),
    name: Type.Optional(Type.String({ maxLength: 255, description: "Name." })),
    is_enabled: Type.Optional(Type.Boolean({ default: true, description: "A disabled check is skipped and not reported." })),
  },
  { additionalProperties: false },
);
export type GuardrailCheck = Static<typeof GuardrailCheck>;

const Feedback = (value: number) =>
  Type.Object(
    {
      feedback: Type.Object(
        {
          value: Type.Number({ default: value, description: "Feedback value." }),
          weight: Type.Number({ default: 1, description: "Feedback weight." }),
          // A string in the API schema, an object in configs: both are taken (guardrails fact sheet 1).
          metadata: Type.Union([Type.String(), JsonObject("Metadata.")], { default: "", description: "Feedback metadata." }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  );

/** Specification 2.4. */
export const GuardrailActions = Type.Object(
  {
    deny: Type.Boolean({ default: false, description: "Refuse (446) when a check fails; otherwise the answer is marked 246." }),
    async: Type.Boolean({ default: false, description: "Judge beside the request: never changes status or body." }),
    on_success: Feedback(5),
    on_fail: Feedback(-5),
    sequential: Type.Optional(
      Type.Boolean({ default: false, description: "Run checks in order; each sees what the ones before it changed." }),
    ),
  },
  { additionalProperties: false },
);
export type GuardrailActions = Static<typeof GuardrailActions>;

const InlineFeedback = Type.Object(
  { feedback: Type.Partial(Feedback(0).properties.feedback, { additionalProperties: false }) },
  { additionalProperties: false },
);
/** What an inline guardrail may say beside its checks. */
export const InlineActions = Type.Object(
  {
    deny: Type.Optional(Type.Boolean()),
    async: Type.Optional(Type.Boolean()),
    sequential: Type.Optional(Type.Boolean()),
    on_success: Type.Optional(InlineFeedback),
    on_fail: Type.Optional(InlineFeedback),
    id: Type.Optional(Type.String({ maxLength: 255 })),
    type: Type.Optional(OneOf(["guardrail", "mutator"], { description: "A mutator has no verdict to act on." })),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    guardrail_version_id: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: false },
);

export const Guardrails = defineCollection({
  name: "guardrails",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Nullable(Uuid("Workspace; null for an organisation guardrail.")),
    owner_id: Uuid("Who made it."),
    updated_by: Nullable(Uuid("Who wrote it last.")),
    name: Type.String({ maxLength: 255, description: "Name." }),
    slug: Type.String({ maxLength: 255, description: "Short name." }),
    target: OneOf(["llm", "mcp_tools"], { default: "llm", description: "What it guards." }),
    status: OneOf(["active", "archived"], { default: "active", description: "State." }),
    version_id: Uuid("Id of this version; each update makes a new one."),
    checks: Type.Array(GuardrailCheck, { description: "Checks." }),
    actions: GuardrailActions,
  }),
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "workspace_id"]],
});

/** Members of an inline guardrail's shorthand form (check ids as members) that are no checks. */
export const SHORTHAND_MEMBERS: ReadonlySet<string> = new Set(Object.keys(InlineActions.properties));
