import {
  type Api,
  type Caller,
  GatewayError,
  isSecretManager,
  type GuardrailPack,
  type Kind,
  type Kinds,
  type Policy,
  type Provider,
  type ResourceHandles,
  SCOPE_TABLE,
  type Strategy,
} from "#contract";
import type { Compute } from "../compute/pool.ts";
import type { Egress } from "../egress/egress.ts";
import { Addresses, type Fault, Mounts } from "./mounts.ts";
import { loadedCheck } from "./check.ts";
import { credentialFinders, type FindCredentials } from "./credentials.ts";
import { configRules } from "./config/rules.ts";
import type { Assembled, LoadedCheck, Provided, Stores } from "./generation.ts";
import type { SecretParts } from "./secrets/secrets.ts";
import { belongsTo } from "./process/watchdog/marks.ts";
import { KeptSecrets } from "./secrets/kept-secrets.ts";
import { oauthTokens, type OAuthTokens } from "./secrets/oauth-tokens.ts";
import { type ReadReference, referenceReader } from "./secrets/references.ts";
import type { PartHealth } from "./states.ts";
import { keyHeadersOf } from "./secrets/caller-key.ts";

/** What plugins are put together with. */
export interface AssemblyParts {
  readonly handles: ResourceHandles;
  /** Where requests are remembered that were sent with a key of their own. */
  readonly stores: Pick<Stores, "kv" | "counters">;
  readonly secrets: SecretParts;
  readonly parts: PartHealth;
  now(): number;
  readonly compute: Compute;
  readonly egress: Pick<Egress, "send">;
  /** Hears of a plugin whose parts do not fit together after all; it is left out. */
  readonly fault: Fault;
}

/**
 * Puts running plugins, in profile order, where requests find them. Ids were claimed before, so nothing is doubled.
 */
export function assemble(running: readonly Provided<Kinds[Kind]>[], given: AssemblyParts): Assembled {
  const { handles, secrets, compute, fault } = given;
  const of = <K extends Kind>(kind: K): readonly Provided<Kinds[K]>[] =>
    running.filter(({ manifest }) => manifest.kind === kind) as unknown as readonly Provided<Kinds[K]>[]; // the kind says what is provided
  const scopes = [...SCOPE_TABLE, ...running.flatMap(({ manifest }) => manifest.scopes ?? [])];
  const mounts = new Mounts(new Addresses(scopes), handles, { ...given.stores, vault: handles.vault, log: secrets.log.log }, fault);
  const standing = new Set(builtInFirst(of("api")).filter((api) => mounts.mount(api.name, () => mounts.api(api))));
  for (const admin of builtInFirst(of("admin"))) mounts.mount(admin.name, () => mounts.admin(admin));
  const apis: readonly Provided<Api>[] = of("api").filter((api) => standing.has(api));
  const policies: readonly Provided<Policy>[] = of("policy");
  const providers = new Map(of("provider").map((provider) => [provider.manifest.id, marked(provider)] as const));
  const packs: readonly Provided<GuardrailPack>[] = of("guardrail");
  const secretManagers = new Map(
    of("secret").flatMap(({ provides }) => (isSecretManager(provides) ? [[provides.manager, provides] as const] : [])),
  );
  const readReference = readingReferences(secretManagers, given);
  const finderOf = credentialFinders({ ...handles, secrets, read: readReference });
  const checks = new Map(packs.flatMap((pack) => checksOf(pack, compute, finderOf(pack))));
  const strategies = new Map(policies.flatMap(strategiesOf));
  const caches = new Map(of("cache").flatMap(({ provides }) => provides.modes.map((mode) => [mode, provides] as const)));
  return {
    providers,
    checks,
    credentials: new Map(packs.flatMap(({ manifest, provides }) => (provides.credentials ? [[manifest.id, provides.credentials]] : []))),
    secretManagers,
    readReference,
    oauth: fetchingTokens(given),
    policies,
    strategies,
    caches,
    config: configRules({ providers, checks, policies, apis, strategies, caches }),
    scopes,
    exporters: of("exporter"),
    prices: of("price"),
    tokenizers: of("tokenizer"),
    dialects: new Map(apis.flatMap(({ provides }) => provides.dialects ?? []).map((dialect) => [dialect.id, dialect])),
    keyHeaders: keyHeadersOf(apis.flatMap(({ provides }) => provides.keyHeaders ?? [])),
    operations: mounts.operations,
    routes: mounts.routes,
    passing: apis.find(({ provides }) => provides.passing)?.provides.passing,
    console: of("console").map(({ name, provides }) => belongsTo(provides, name))[0],
  };
}

/** Tells how managers are doing from its first use on. */
function readingReferences(managers: Assembled["secretManagers"], { handles, secrets, parts, now }: AssemblyParts): ReadReference {
  const kept = new KeptSecrets({ managers, log: secrets.log, now });
  const read = referenceReader({ ...handles, secrets: kept });
  let isUsed = false; // the generation before may still be telling how it is doing
  return (named) => {
    if (!isUsed) parts.set(HEALTH, () => kept.health());
    isUsed = true;
    return read(named);
  };
}
const HEALTH = "secret-references";

/** The same of token endpoints. */
function fetchingTokens({ egress, secrets, parts, now }: AssemblyParts): OAuthTokens {
  const tokens = oauthTokens({ egress, log: secrets.log, now });
  let isUsed = false;
  const used = (): OAuthTokens => {
    if (!isUsed) parts.set("oauth-clients", () => tokens.health());
    isUsed = true;
    return tokens;
  };
  return { token: (owner) => used().token(owner), renewed: (owner, refused) => used().renewed(owner, refused) };
}

/** The watchdog tells whose code was entered last. */
function marked(provider: Provided<Provider>): Provided<Provider> {
  const { name, provides } = provider;
  belongsTo(provides, name);
  for (const adapter of Object.values(provides.operations)) if (adapter?.stream) belongsTo(adapter.stream, name);
  return provider;
}
const strategiesOf = ({ name, provides }: Provided<Policy>): [string, Strategy][] =>
  Object.entries(provides.strategies ?? {}).map(([mode, strategy]) => [mode, belongsTo(strategy, name)]);

/** What stands in the place of a guard that failed: nobody passes, and who cannot be known is not called unknown. */
export function closedPolicy({ name, manifest }: Pick<Provided<Policy>, "name" | "manifest">): Provided<Policy> {
  const refuse = (): never => {
    throw new GatewayError("POLICY_DOWN", { plugin: name });
  };
  /** Service keys are nobody's: with them it can be mended. */
  const authorize = (caller: Caller): Caller => (caller.keyType === "workspace-user" ? refuse() : caller);
  return { name, manifest, provides: { identify: refuse, authorize, admit: refuse } };
}

/** By their ids, and by their bare names where the pack says so. */
const checksOf = (
  { name, module, manifest, provides }: Provided<GuardrailPack>,
  compute: Compute,
  credentials: FindCredentials,
): [string, LoadedCheck][] =>
  provides.checks.flatMap((check) => {
    const loaded = loadedCheck({ name, ...(module && { module }) }, check, compute, credentials);
    const names = manifest.bare ? [check.id, check.id.slice(manifest.id.length + 1)] : [check.id];
    return names.map((id): [string, LoadedCheck] => [id, loaded]);
  });

/** What is part of the gateway keeps its routes; what comes from outside finds its place beside them. */
const builtInFirst = <T extends Provided<unknown>>(plugins: readonly T[]): readonly T[] =>
  plugins.toSorted((a, b) => Number(a.module !== undefined) - Number(b.module !== undefined));
