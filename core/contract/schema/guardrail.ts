import { type Static, Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { makeSlug } from "../resource.ts";
import { JsonObject, Nullable, OneOf, Uuid } from "./column.ts";
import { SecretMapping, SecretMappings } from "./secret-reference.ts";

/** A check as a guardrail names it. */
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
          // A string in the API schema, an object in configs: both are taken.
          metadata: Type.Union([Type.String(), JsonObject("Metadata.")], { default: "", description: "Feedback metadata." }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  );

/** Actions that saved and inline guardrails may have beside the documented ones. */
const FURTHER_ACTIONS = {
  soft_deny_200: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Answer a denial with 200 and the reason as the model's text, in the form of the client, instead of 446. Not where a stream has begun, nor for operations whose answers are no text.",
    }),
  ),
  shadow: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Judge beside the request and change nothing. What it would have done stands in the log: GET /v1/logs/{id}?type=hooks.",
    }),
  ),
  rollout_percentage: Type.Optional(
    Type.Number({
      default: 100,
      minimum: 0,
      maximum: 100,
      description: "Share of traces for which it acts; the others it judges in shadow. Requests of one trace are treated alike.",
    }),
  ),
} as const;

/** What follows from the verdicts of a guardrail's checks. */
export const GuardrailActions = Type.Object(
  {
    deny: Type.Boolean({ default: false, description: "Refuse (446) when a check fails; otherwise the answer is marked 246." }),
    async: Type.Boolean({ default: false, description: "Judge beside the request: never changes status or body." }),
    on_success: Feedback(5),
    on_fail: Feedback(-5),
    sequential: Type.Optional(
      Type.Boolean({ default: false, description: "Run checks in order; each sees what the ones before it changed." }),
    ),
    ...FURTHER_ACTIONS,
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
    ...FURTHER_ACTIONS,
    on_success: Type.Optional(InlineFeedback),
    on_fail: Type.Optional(InlineFeedback),
    id: Type.Optional(Type.String({ maxLength: 255 })),
    type: Type.Optional(OneOf(["guardrail", "mutator"], { description: "A mutator has no verdict to act on." })),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    guardrail_version_id: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: false },
);

const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
/** What an `mcp_tools` guardrail does when its actions are left out. */
const ACTIONS: GuardrailActions = { deny: false, async: false, on_success: feedback(5), on_fail: feedback(-5) };

export const Guardrails = collectionOf({
  name: "guardrails",
  tenancy: "either",
  fields: {
    owner_id: field(Uuid("Who made it."), { view: true, default: ({ actor }) => actor }),
    updated_by: field(Nullable(Uuid("Who wrote it last.")), { view: true, default: null }),
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true }),
    slug: field(Type.String({ maxLength: 255, description: "Short name; configs refer to it." }), {
      view: true,
      default: ({ body }) => makeSlug("pg", String(body["name"])),
    }),
    target: field(
      OneOf(["llm", "mcp_tools"], { description: "What it guards." }),
      { create: "optional", view: true, default: "llm" },
      { schema: OneOf(["llm", "mcp_tools"], { description: "What it guards. It cannot be changed later." }) },
    ),
    status: field(
      OneOf(["active", "archived"], { description: "State." }),
      { update: true, view: true, default: "active" },
      { schema: OneOf(["active", "archived"], { description: "One that is archived never runs." }) },
    ),
    version_id: field(Uuid("Id of this version; each update makes a new one."), { view: "alone", default: () => crypto.randomUUID() }),
    checks: field(
      Type.Array(GuardrailCheck, { description: "Checks." }),
      { create: "optional", update: true, view: "alone", secret: "inside", default: [] },
      {
        schema: Type.Array(GuardrailCheck, { minItems: 1, maxItems: 100, description: "Checks; required when the target is `llm`." }),
      },
    ),
    secret_mappings: field(
      Nullable(SecretMappings),
      { create: "optional", update: true, view: "alone" },
      {
        schema: Nullable(
          Type.Array(SecretMapping, {
            maxItems: 50,
            description:
              "Secret parameters of checks that are kept in a manager of secrets: `target_field` is `checks[0].parameters.<member>`. An update that gives `checks` gives these too.",
          }),
        ),
      },
    ),
    actions: field(GuardrailActions, { create: "optional", update: true, view: "alone", default: ACTIONS }),
  },
  unique: [["organisation_id", "slug"]],
  index: [["organisation_id", "workspace_id"]],
});

/** Members of an inline guardrail's shorthand form (check ids as members) that are no checks. */
export const SHORTHAND_MEMBERS: ReadonlySet<string> = new Set(Object.keys(InlineActions.properties));
