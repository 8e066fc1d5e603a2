import {
  after,
  type Call,
  type Caller,
  GatewayError,
  isPinned,
  type Json,
  knownNames,
  type Leaf,
  type MaybePromise,
  type Provider,
  shownOperation,
  type Target,
  wholePath,
} from "#contract";
import type { Generation } from "../../kernel/generation.ts";
import { providerKey } from "../../kernel/secrets/caller-key.ts";
import { type Dialects, type Serving, servingOf } from "./served.ts";
import { askingFieldsOf, compiledSchema, type Field, type TargetSchema } from "./target-schema.ts";
import { isAuthors, leavesPin, namesProvider, slashOf } from "./pin.ts";
import { isInline } from "./configs.ts";
import type { Prepared } from "./prepare.ts";
import { allowedModel } from "./asked-models.ts";
import { judgeModel, judgeNamelessRequest, type KnownModel, type ModelRules } from "./model-rules.ts";
import type { Credential, KeptAt, SavedProvider } from "./saved-providers.ts";
import { lowered } from "../../json/shape.ts";
import { isOwn, notOwn, refuseOwnKey, saidByClient, type TargetRules } from "./request-values.ts";

/** A leaf made concrete: the running provider, its adapter for this operation, and where and as whom to call it. */
export interface Resolved extends Serving {
  readonly id: string;
  /** `@slug` when a saved provider was named. */
  readonly slug: string | null;
  readonly provider: Provider;
  readonly target: Target;
  /** Where its credential is kept; `null` where the request brought it itself. */
  readonly kept: KeptAt | null;
}
const IN_CONFIG: KeptAt = Object.freeze({ integrationId: null });

/** What a target is made from. */
interface Parts {
  readonly gen: Pick<Generation, "providers" | "plugins" | "operations">;
  readonly dialects: Dialects;
  readonly rules: TargetRules;
}

/** What a provider reference means: the provider's id, and what was saved with it. */
interface ProviderMeant {
  readonly id: string;
  readonly slug: string | null;
  readonly saved: Credential | null;
}
/** Whose request it is, and what is prepared for such. */
interface AskedTarget {
  readonly call: Call;
  readonly caller: Caller;
  readonly prepared: Prepared;
}
export type Resolver = (leaf: Leaf, asked: AskedTarget, model: string) => MaybePromise<Resolved>;

export function resolver(gen: Parts["gen"], dialects: Dialects, now: () => number, rules: TargetRules): Resolver {
  const parts: Parts = { gen, dialects, rules };
  return (leaf, { call, caller, prepared }, model) => {
    const place = placeOf(leaf, call, model, isPinned(caller) && namesProvider(leaf));
    const { reference } = place;
    if (!reference.startsWith("@")) return concrete({ id: reference, slug: null, saved: null }, place, parts);
    return after(prepared.provider(reference), (found) => {
      if (found.expiresAt <= now()) throw new GatewayError("ACCESS_DENIED", { what: `the provider ${reference}, which has expired` });
      const { models } = found.saved;
      if (!models) return concrete(found, place, parts);
      return after(allowedModel(place, models, reference), (asked) => {
        const resolved = concrete(withOwnPlace(found, models.known.get(asked)), place, parts);
        judgeFields(resolved, found.saved, models);
        return resolved;
      });
    });
  };
}

/** What the request itself says of a field that decides which model is asked. */
function judgeFields({ provider, target, slug, id }: Resolved, saved: Credential, rules: ModelRules): void {
  for (const name of askingFieldsOf(provider.target)) {
    const said = target.fields[name];
    if (said === undefined || said === saved.fields[name]) continue;
    if (typeof said === "string") judgeModel(said, rules, slug ?? id);
    else judgeNamelessRequest(rules, slug ?? id);
  }
}

/** A model may have a host of its own, and headers. */
function withOwnPlace(found: SavedProvider, model: KnownModel | undefined): SavedProvider {
  if (!model || (model.host === null && model.headers === null)) return found;
  const { saved } = found;
  const headers = model.headers && { ...saved.headers, ...model.headers };
  return { ...found, saved: { ...saved, customHost: model.host ?? saved.customHost, headers: headers ?? saved.headers ?? null } };
}

/** One target of one request, as far as it is settled. */
interface TargetPlace {
  readonly leaf: Leaf;
  readonly call: Call;
  /** Provider id or `@slug`. */
  readonly reference: string;
  readonly model: string;
  /** The custom host that counts. */
  readonly host: string | null;
}

/**
 * Which provider is meant: `@slug/model` in the model wins, then the target, then the request's headers. Where a pinned
 * config names its provider, the request's own word for it is passed over, or refused where it cannot be.
 */
function placeOf(leaf: Leaf, call: Call, model: string, pinned: boolean): TargetPlace {
  const host = leaf.customHost ?? (pinned ? null : (call.control.customHost ?? null));
  const slash = slashOf(model);
  if (slash > 0) {
    const reference = model.slice(0, slash);
    if (pinned && reference !== leaf.provider && !isAuthors(model, leaf)) throw leavesPin(`the model ${reference}/…`, "model");
    return { leaf, call, reference, model: model.slice(slash + 1), host };
  }
  const reference = leaf.provider ?? askedProvider(call);
  if (!reference) throw noProvider(call);
  if (pinned && leaf.provider === null) throw leavesPin(`the provider ${reference}`, "x-gateway-provider");
  return { leaf, call, reference, model, host };
}
/** Where nobody mounts a path, it is a route that there is not, unless a provider is named that may know it. */
export const noProvider = ({ row, method, path }: Call): GatewayError =>
  row.passes === "unmounted"
    ? new GatewayError("ROUTE_UNKNOWN", { method, path: wholePath(row, path).slice(0, 200) })
    : new GatewayError("TARGET_MISSING", {}, { param: "x-gateway-provider" });
/** Does the request itself leave open whom to ask? Its key's config, or its body, may say so yet. */
export const choosesNobody = ({ provider, virtualKey, config }: Call["control"]): boolean =>
  (provider ?? virtualKey ?? config) === undefined;
const askedProvider = ({ control }: Call): string | undefined => control.provider ?? atSlug(control.virtualKey);
const atSlug = (slug: string | undefined): string | undefined => (slug === undefined ? undefined : `@${slug.replace(/^@/, "")}`);

function concrete(meaning: ProviderMeant, place: TargetPlace, { gen, dialects, rules }: Parts): Resolved {
  const provider = running(meaning.id, gen);
  const serving = servingOf(provider, place, { dialects, routes: gen.operations });
  if (!serving) throw unsupported(meaning.id, place, gen, dialects);
  const judged = compiledSchema(provider.target);
  const keeps = keepsCredential(place.leaf, place.call, judged);
  const target = targetOf(meaning, place, { judged, keeps }, rules);
  return { id: meaning.id, slug: meaning.slug, provider, ...serving, target, kept: meaning.saved ?? (keeps ? IN_CONFIG : null) };
}

/** Which providers would serve it: by an adapter of their own, or by what stands in for one. */
function unsupported(provider: string, place: TargetPlace, gen: Parts["gen"], dialects: Dialects): GatewayError {
  const mounted = { dialects, routes: gen.operations };
  const others = [...gen.providers].filter(([, { provides }]) => servingOf(provides, place, mounted) !== null).map(([id]) => id);
  const instead = others.length === 0 ? "No enabled provider does" : `Of those enabled, these do: ${others.join(", ")}`;
  return new GatewayError("OPERATION_UNSUPPORTED", { provider, operation: shownOperation(place.call.row), instead }, { param: "provider" });
}

function running(id: string, gen: Pick<Generation, "providers" | "plugins">): Provider {
  const loaded = gen.providers.get(id);
  if (!loaded) throw absent(id, gen);
  return loaded.provides;
}

function absent(id: string, gen: Pick<Generation, "providers" | "plugins">): GatewayError {
  const state = gen.plugins.find((plugin) => plugin.name === `provider/${id}`);
  if (state?.state === "failed") return new GatewayError("PROVIDER_UNAVAILABLE", { provider: id, why: state.why ?? "it failed to start" });
  const why = state ? "It is installed but disabled in this deployment." : knownNames("Enabled providers", id, [...gen.providers.keys()]);
  return new GatewayError("PROVIDER_UNKNOWN", { provider: id, known: why }, { param: "provider" });
}

/** What the provider wants to know of a target, and whether the leaf was saved with a credential of its own. */
interface TargetForm {
  readonly judged: TargetSchema;
  readonly keeps: boolean;
}
function targetOf(
  meaning: ProviderMeant,
  { leaf, call, model, host }: TargetPlace,
  { judged, keeps }: TargetForm,
  rules: TargetRules,
): Target {
  const asked = leaf.customHost ?? call.control.customHost ?? null;
  refuseStrayKey(meaning, leaf, asked, keeps);
  refuseChosenVendor(meaning, leaf, keeps);
  const customHost = meaning.saved ? meaning.saved.customHost : host;
  if (customHost !== null) {
    refuseOwnKey(customHost, rules.ownKeys);
    if (!/^https?:\/\//i.test(customHost)) throw schemeless();
  }
  return {
    fields: fieldsOf(judged, { meaning, leaf, call, keeps }, rules),
    apiKey: notOwn(meaning.saved?.apiKey ?? leaf.apiKey ?? providerKey(call.headers, call.control.apiKey, rules.keyHeaders), call, rules),
    customHost,
    headers: meaning.saved?.headers ?? null,
    model,
  };
}

/** Was the leaf saved, with a credential of its own? */
const keepsCredential = (leaf: Leaf, call: Call, schema: TargetSchema): boolean =>
  holdsSecret(leaf, schema) && !isInline(call.control.config ?? "");

function holdsSecret({ apiKey, fields }: Leaf, { secrets }: TargetSchema): boolean {
  if (apiKey !== null) return true;
  for (const name of secrets) if ((fields[name] ?? null) !== null) return true;
  return false;
}

/** A stored credential goes to the provider's own host, or the one saved with it, never to one the request names. */
function refuseStrayKey(meaning: ProviderMeant, leaf: Leaf, asked: string | null, keeps: boolean): void {
  const { saved } = meaning;
  if (saved && asked !== null && asked !== saved.customHost)
    throw strayKey(meaning, "the key of a saved provider is not sent to a custom host given elsewhere; save the host with the integration");
  if (keeps && asked !== leaf.customHost)
    throw strayKey(meaning, "the key in a saved config is not sent to a custom host given elsewhere; save the host in the config");
}
/**
 * Nor to the host of whichever provider the request names: a credential in a saved config goes to the provider saved
 * beside it. A saved provider that the request names brings its own credential, and the config's stays where it is.
 */
function refuseChosenVendor(meaning: ProviderMeant, leaf: Leaf, keeps: boolean): void {
  if (keeps && leaf.provider === null && !meaning.saved)
    throw strayKey(
      meaning,
      "the key in a saved config that names no provider is not sent to one that the request names; save the provider in the config, beside the key",
      "x-gateway-provider",
    );
}
const strayKey = ({ id, slug }: ProviderMeant, why: string, param = "custom_host"): GatewayError =>
  new GatewayError("TARGET_INVALID", { provider: slug ?? id, why }, { param });

const schemeless = (): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: "The custom host cannot be called: it does not start with http:// or https://." },
    { param: "custom_host" },
  );

/** Where the fields of a target come from. */
interface FieldSources {
  readonly meaning: ProviderMeant;
  readonly leaf: Leaf;
  readonly call: Call;
  /** The leaf was saved, with a credential of its own. */
  readonly keeps: boolean;
}
/**
 * The target's fields. Who may use a stored credential must not have it sent elsewhere, nor have it stand for somebody
 * else: beside one, bound fields are read from where it is stored. A saved provider without a key counts as well, for it
 * may stand for an identity of the gateway's own. The defaults alone are not copied: every request comes by here.
 */
function fieldsOf(schema: TargetSchema, { meaning, leaf, call, keeps }: FieldSources, rules: TargetRules): Json {
  const { fields, check, defaults, complete } = schema;
  const store = meaning.saved?.fields ?? (keeps ? leaf.fields : null);
  let given: Json | undefined;
  for (const field of fields) {
    const value =
      field.bound && store !== null
        ? store[field.name]
        : (givenFor(field, meaning, leaf, call) ?? saidByClient(field.clientHeader, call, rules));
    if (typeof value === "string" && isOwn(value, call, rules)) continue;
    if (value !== undefined && value !== null) (given ??= { ...defaults })[field.name] = value;
  }
  if (given === undefined && complete) return defaults;
  given ??= { ...defaults };
  if (check.Check(given)) return given;
  const problem = check.Errors(given).First();
  throw new GatewayError(
    "TARGET_INVALID",
    { provider: meaning.id, why: `${problem?.path.slice(1)}: ${problem ? lowered(problem.message) : "not valid"}` },
    { param: problem?.path.slice(1) ?? "" },
  );
}

/** The first that says it: the saved integration, the config, the request's headers. */
const givenFor = ({ name, header }: Field, { saved }: ProviderMeant, leaf: Leaf, call: Call): unknown =>
  saved?.fields[name] ?? leaf.fields[name] ?? call.control.rest[header];
