import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type Adapter,
  type Call,
  type Caller,
  GatewayError,
  Integrations,
  type Json,
  type Leaf,
  type Provider,
  Providers,
  type Target,
} from "#contract";
import type { Generation } from "../kernel/generation.ts";
import { isInline, then } from "./plan.ts";

/** A leaf made concrete: the running provider, its adapter for this operation, and where and as whom to call it. */
export interface Resolved {
  readonly id: string;
  /** `@slug` when a saved provider was named. */
  readonly slug: string | null;
  readonly provider: Provider;
  readonly adapter: Adapter;
  readonly target: Target;
}
export type Resolver = (leaf: Leaf, call: Call, caller: Caller, model: string) => Resolved | Promise<Resolved>;

/** What a provider reference means: the provider's id, and what was saved with it. */
interface Meaning {
  readonly id: string;
  readonly slug: string | null;
  readonly saved: Credential | null;
}
interface Credential {
  readonly providerId: string;
  readonly apiKey: string;
  readonly fields: Json;
  readonly customHost: string | null;
}

export function resolver(gen: Pick<Generation, "providers" | "plugins" | "stores" | "vault">, now: () => number): Resolver {
  const credential = gen.stores.records.lookup(Integrations, ["id"], (record): Credential | null =>
    record.status !== "active" ? null : credentialOf(record.ai_provider_id, record.key_sealed, record.configurations, gen.vault.open),
  );
  const named = gen.stores.records.lookup(Providers, ["workspace_id", "slug"], (record) => record);

  const meaningOf = (reference: string, caller: Caller): Meaning | Promise<Meaning> => {
    if (!reference.startsWith("@")) return { id: reference, slug: null, saved: null };
    const unknown = () =>
      new GatewayError("PROVIDER_UNKNOWN", {
        provider: reference,
        known: "Save it under /v2/providers first, or name a provider id without @.",
      });
    return then(named(caller.workspaceId ?? "", reference.slice(1)), (record) => {
      if (!record) throw unknown();
      if (record.expires_at !== null && record.expires_at <= now())
        throw new GatewayError("ACCESS_DENIED", { what: `the provider ${reference}, which has expired` });
      return then(credential(record.integration_id), (saved) => {
        if (!saved) throw unknown();
        return { id: saved.providerId, slug: reference, saved };
      });
    });
  };

  return (leaf, call, caller, model) => {
    const { reference, bare } = referenceOf(leaf, call, model);
    return then(meaningOf(reference, caller), (meaning) => concrete(meaning, leaf, call, bare, gen));
  };
}

/** Which provider is meant: `@slug/model` in the model wins, then the target, then the request's headers. */
function referenceOf(leaf: Leaf, call: Call, model: string): { reference: string; bare: string } {
  const slash = model.startsWith("@") ? model.indexOf("/") : -1;
  if (slash > 0) return { reference: model.slice(0, slash), bare: model.slice(slash + 1) };
  const reference = leaf.provider ?? call.control.provider ?? atSlug(call.control.virtualKey);
  if (!reference) throw new GatewayError("TARGET_MISSING", {}, { param: "x-gateway-provider" });
  return { reference, bare: model };
}
const atSlug = (slug: string | undefined): string | undefined => (slug === undefined ? undefined : `@${slug.replace(/^@/, "")}`);

function concrete(meaning: Meaning, leaf: Leaf, call: Call, model: string, gen: Pick<Generation, "providers" | "plugins">): Resolved {
  const provider = running(meaning.id, gen);
  const adapter = provider.operations[call.operation];
  if (!adapter)
    throw new GatewayError("OPERATION_UNSUPPORTED", {
      provider: meaning.id,
      operation: call.operation,
      serves: Object.keys(provider.operations).join(", "),
    });
  return { id: meaning.id, slug: meaning.slug, provider, adapter, target: targetOf(meaning, leaf, call, model, provider.target) };
}

function running(id: string, gen: Pick<Generation, "providers" | "plugins">): Provider {
  const loaded = gen.providers.get(id);
  if (loaded) return loaded.provides;
  const state = gen.plugins.find((plugin) => plugin.name === `provider/${id}`);
  if (state?.state === "failed") throw new GatewayError("PROVIDER_UNAVAILABLE", { provider: id, why: state.why ?? "it failed to start" });
  const why = state ? "It is installed but disabled in this deployment." : `Enabled providers: ${[...gen.providers.keys()].join(", ")}.`;
  throw new GatewayError("PROVIDER_UNKNOWN", { provider: id, known: why }, { param: "provider" });
}

function targetOf(meaning: Meaning, leaf: Leaf, call: Call, model: string, schema: TSchema): Target {
  const asked = leaf.customHost ?? call.control.customHost ?? null;
  refuseStrayKey(meaning, leaf, call, asked);
  return {
    fields: fieldsOf(schema, meaning, leaf, call),
    apiKey: meaning.saved?.apiKey ?? leaf.apiKey ?? bearerOf(call),
    customHost: meaning.saved ? meaning.saved.customHost : asked,
    model,
  };
}

/** A stored credential goes to the provider's own host, or the one saved with it, never to one the request names. */
function refuseStrayKey({ id, slug, saved }: Meaning, leaf: Leaf, call: Call, asked: string | null): void {
  const refuse = (why: string): never => {
    throw new GatewayError("TARGET_INVALID", { provider: slug ?? id, why }, { param: "custom_host" });
  };
  if (saved && asked !== null && asked !== saved.customHost)
    refuse("the key of a saved provider is not sent to a custom host given elsewhere; save the host with the integration");
  const keyIsSaved = leaf.apiKey !== null && !isInline(call.control.config ?? "");
  if (keyIsSaved && asked !== leaf.customHost)
    refuse("the key in a saved config is not sent to a custom host given elsewhere; save the host in the config");
}

/** The provider's own key: the bearer token, unless that was the gateway key. */
function bearerOf(call: Call): string {
  if (call.control.apiKey === undefined) return "";
  const value = call.headers.get("authorization") ?? "";
  if (value.includes(","))
    throw new GatewayError(
      "HEADER_INVALID",
      { header: "authorization", why: "it was sent more than once, or its token holds a comma" },
      { param: "authorization" },
    );
  return value.slice(0, 7).toLowerCase() === "bearer " ? value.slice(7).trim() : "";
}

interface TargetSchema {
  readonly fields: readonly { readonly name: string; readonly header: string }[];
  /** What every target begins with; only read. */
  readonly defaults: Json;
  /** The defaults alone are a valid target. */
  readonly complete: boolean;
  readonly check: TypeCheck<TSchema>;
}
const compiled = new WeakMap<TSchema, TargetSchema>();

function fieldsOf(schema: TSchema, meaning: Meaning, leaf: Leaf, call: Call): Json {
  const { fields, check, defaults, complete } = compiledSchema(schema);
  let given: Json | undefined;
  for (const { name, header } of fields) {
    const value = meaning.saved?.fields[name] ?? leaf.fields[name] ?? call.control.rest[header];
    if (value !== undefined) (given ??= { ...defaults })[name] = value;
  }
  if (given === undefined && complete) return defaults;
  given ??= { ...defaults };
  if (check.Check(given)) return given;
  const problem = check.Errors(given).First();
  throw new GatewayError(
    "TARGET_INVALID",
    { provider: meaning.id, why: `${problem?.path.slice(1)}: ${problem?.message.toLowerCase() ?? "not valid"}` },
    { param: problem?.path.slice(1) ?? "" },
  );
}

function compiledSchema(schema: TSchema): TargetSchema {
  const known = compiled.get(schema);
  if (known) return known;
  const check = TypeCompiler.Compile(schema);
  const defaults: Json = Object.freeze(Value.Default(schema, {}) as Json); // a target schema is an object schema
  const fields = Object.keys((schema["properties"] as Json | undefined) ?? {}).map((name) => ({ name, header: name.replaceAll("_", "-") })); // ditto
  const made: TargetSchema = { fields, defaults, complete: check.Check(defaults), check };
  compiled.set(schema, made);
  return made;
}

function credentialOf(providerId: string, sealedKey: string | null, configurations: Json, open: (sealed: string) => string): Credential {
  const fields: Json = {};
  for (const [name, value] of Object.entries(configurations)) fields[name] = isSealed(value) ? open(value.sealed) : value;
  const host = fields["custom_host"];
  return { providerId, apiKey: sealedKey === null ? "" : open(sealedKey), fields, customHost: typeof host === "string" ? host : null };
}

/** How a secret stands inside `configurations`. */
const isSealed = (value: unknown): value is { readonly sealed: string } =>
  typeof value === "object" && value !== null && "sealed" in value && typeof value.sealed === "string";
