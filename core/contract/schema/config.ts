import { type Static, type StringOptions, Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { makeSlug } from "../resource.ts";
import { JsonObject, Nullable, OneOf, Uuid } from "./column.ts";

const statusCodes = (description: string) => Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { maxItems: 100, description });

/** Repeat a failed call. */
export const Retry = Type.Object(
  {
    attempts: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: "Further tries after the first; more than 5 are clipped to 5." }),
    ),
    on_status_codes: Type.Optional(statusCodes("HTTP statuses.")),
    use_retry_after_headers: Type.Optional(
      Type.Boolean({ description: "Wait as long as the provider's Retry-After says instead of the backoff. Default false." }),
    ),
    use_retry_after_header: Type.Optional(Type.Boolean({ description: "Other spelling of use_retry_after_headers." })),
  },
  {
    additionalProperties: false,
    description: "Repeat a failed call to the same target. Backoff 1, 2, 4, 8, 16 s with jitter; at most 60 s in all.",
  },
);

/** What every cache mode has; the others are the mode's own. */
export const CacheSettings = Type.Object(
  {
    mode: Type.String({ maxLength: 64, description: "A mode that an enabled cache provides." }),
    max_age: Type.Optional(Nullable(Type.Integer({ minimum: 60, maximum: 7_776_000, description: "Seconds an answer stays usable." }))),
  },
  { additionalProperties: true, description: "Answer from a cache where it can." },
);

/** What every strategy has; the others are the mode's own. */
export const StrategySettings = Type.Object(
  { mode: Type.String({ maxLength: 64, description: "A mode that an enabled policy provides." }) },
  { additionalProperties: true, description: "How to choose among the targets." },
);

const Guards = (description: string) =>
  Type.Array(Type.Union([Type.String({ maxLength: 255 }), JsonObject("An inline guardrail.")]), { maxItems: 100, description });

/** The members that the core itself obeys, of a config and of each target. */
const CORE = {
  strategy: Type.Optional(StrategySettings),
  targets: Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), {
      minItems: 1,
      maxItems: 1000,
      description: "Where to send; each may be a config in turn.",
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 255, description: "Name of the target." })),
  provider: Type.Optional(Type.String({ maxLength: 255, description: "Provider id or `@slug`." })),
  api_key: Type.Optional(Type.String({ maxLength: 8192, secret: true, description: "Provider credential given in place." })),
  virtual_key: Type.Optional(Type.String({ maxLength: 255, description: "Older spelling of `provider: @slug`." })),
  weight: Type.Optional(Type.Number({ minimum: 0, description: "Load-balance share; default 1, 0 stops traffic." })),
  on_status_codes: Type.Optional(statusCodes("Older place of `strategy.on_status_codes`.")),
  retry: Type.Optional(Retry),
  cache: Type.Optional(CacheSettings),
  request_timeout: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 3_600_000, description: "Milliseconds for one call; then 408." })),
  ),
  override_params: Type.Optional(JsonObject("Body members always set.")),
  default_params: Type.Optional(JsonObject("Body members set when the client left them out.")),
  drop_params: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 100,
      description: "Body paths deleted last, e.g. `tools[*].function.strict`.",
    }),
  ),
  custom_host: Type.Optional(Type.String({ maxLength: 2048, description: "Base URL instead of the provider's own." })),
  forward_headers: Type.Optional(
    Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100, description: "Request headers passed on unchanged." }),
  ),
  strict_open_ai_compliance: Type.Optional(Type.Boolean({ description: "As the header of that name." })),
  input_guardrails: Type.Optional(Guards("Guardrails on the request: slugs or inline objects.")),
  output_guardrails: Type.Optional(Guards("Guardrails on the answer: slugs or inline objects.")),
  input_mutators: Type.Optional(Guards("Guardrails that may change the request and have no verdict: slugs or inline objects.")),
  output_mutators: Type.Optional(Guards("The same on the answer.")),
  before_request_hooks: Type.Optional(Guards("Older form of input_guardrails.")),
  after_request_hooks: Type.Optional(Guards("Older form of output_guardrails.")),
};

/** One level of a config: the config itself, or one of its targets. Members of plugins are judged by who claims them. */
export const ConfigLevel = Type.Object(CORE, { additionalProperties: true });
export type ConfigLevel = Static<typeof ConfigLevel>;
export const CONFIG_MEMBERS: ReadonlySet<string> = new Set(Object.keys(CORE));

/**
 * A whole config in a body. It is judged level by level by `catalog.judgeConfig`, because what it may hold is known
 * once the plugins run; the document shows in its place what they claim.
 */
export const ConfigBody = Type.Object({}, { $id: "Config", additionalProperties: true, description: "A routing config." });

const name = (more: StringOptions = {}) => Type.String({ minLength: 1, maxLength: 255, description: "Name.", ...more });

export const Configs = collectionOf({
  name: "configs",
  tenancy: "workspace",
  fields: {
    owner_id: field(Uuid("Who made it."), { view: true, default: ({ actor }) => actor }),
    updated_by: field(Nullable(Uuid("Who wrote it last.")), { view: true, default: null }),
    name: field(name(), { create: "required", update: true, view: true }, { schema: name({ default: "config" }) }),
    slug: field(Type.String({ maxLength: 255, description: "Short name; what `x-gateway-config` carries." }), {
      view: true,
      default: ({ body }) => makeSlug("pc", String(body["name"])),
    }),
    status: field(OneOf(["active", "archived"], { description: "State." }), { update: true, view: true, default: "active" }),
    is_default: field(Type.Integer({ minimum: 0, maximum: 1, description: "1 marks the workspace's default." }), {
      view: true,
      default: 0,
    }),
    version_id: field(Uuid("Id of this version; each update makes a new one."), { view: "alone", default: () => crypto.randomUUID() }),
    config: field(
      JsonObject("The config; credentials in it are masked."),
      { create: "required", update: true, view: "alone", secret: "inside" },
      { schema: ConfigBody },
    ),
  },
  unique: [["workspace_id", "slug"]],
  index: [
    ["organisation_id", "slug"],
    ["organisation_id", "workspace_id", "status"],
  ],
});
