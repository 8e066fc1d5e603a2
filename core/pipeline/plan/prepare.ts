import {
  after,
  type Call,
  type Caller,
  CallerGuardrails,
  Configs,
  GatewayError,
  Guardrails,
  Integrations,
  IntegrationWorkspaces,
  type Leaf,
  type MaybePromise,
  Organisations,
  Providers,
  type TargetNode,
  Workspaces,
} from "#contract";
import type { Generation } from "../../kernel/generation.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import { type CompiledConfig, configReader, isInline, NO_CONFIG } from "./configs.ts";
import {
  type DefaultGuardrails,
  defaultsOf,
  NO_DEFAULTS,
  NO_ORGANISATION,
  organisationDefaultsOf,
  withDefaults,
  type WorkspaceDefaults,
} from "./defaults.ts";
import type { ActiveGuardrail } from "./guardrails/active.ts";
import { type FinderParts, type GuardrailFinder, guardrailFinder } from "./guardrails/find.ts";
import { leavesPin } from "./pin.ts";
import { type ProviderFinder, type SavedProvider, savedProviders } from "./saved-providers.ts";

/**
 * All that is looked up for the requests of one caller with one config. It is kept for as long as no record of those
 * collections changes, so that a warm request looks up its key, and this.
 */
export interface Prepared {
  readonly configSlug: string | null;
  /** The targets of its config, with the guardrails that key, workspace and organisation add to each. */
  readonly root: TargetNode;
  /** What the workspace says of each request. */
  readonly metadata: Readonly<Record<string, string>>;
  /** A saved provider, by `@slug`. */
  provider(reference: string): MaybePromise<SavedProvider>;
  /** The guardrails that a list of its targets names, ready to run. */
  guardrails(refs: Leaf["inputGuardrails"]): MaybePromise<readonly ActiveGuardrail[]>;
}
export type Prepare = (call: Call, caller: Caller) => MaybePromise<Prepared>;

type Preparing = Pick<Generation, "stores" | "config" | "vault" | "checks" | "plugins" | "readReference" | "oauth">;
interface PrepareRules {
  readonly headers: FinderParts["headers"];
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
}
const LOOKED_UP = [Configs, Organisations, Workspaces, Providers, Integrations, IntegrationWorkspaces, Guardrails];

export function preparer(gen: Preparing, { headers, ownKeys }: PrepareRules): Prepare {
  const { records } = gen.stores;
  const configs = configReader(gen, ownKeys);
  const ofWorkspace = records.lookup(Workspaces, ["id"], defaultsOf);
  const ofOrganisation = records.lookup(Organisations, ["id"], (record) => organisationDefaultsOf(record.settings));
  const finders: Finders = {
    provider: savedProviders(gen),
    guardrails: guardrailFinder({
      checks: gen.checks,
      plugins: gen.plugins,
      vault: gen.vault,
      readReference: gen.readReference,
      headers,
      records,
    }),
  };
  const epoch = gen.stores.epoch(LOOKED_UP);
  const kept = new WeakMap<Caller, KeptOfCaller>();

  const keptOf = (caller: Caller): KeptOfCaller => {
    const { current } = epoch;
    const before = kept.get(caller);
    if (before?.epoch === current) return before;
    const fresh = new KeptOfCaller(current);
    kept.set(caller, fresh);
    return fresh;
  };
  const made = (config: CompiledConfig, caller: Caller): MaybePromise<Prepared> =>
    after(caller.workspaceId === null ? undefined : ofWorkspace(caller.workspaceId), (workspace = NO_DEFAULTS) => {
      if (workspace.closed) throw new GatewayError("KEY_UNKNOWN", { why: "its workspace was deleted" });
      return after(ofOrganisation(caller.organisationId), (organisation = NO_ORGANISATION) =>
        preparedOf(config, caller, { workspace, organisation: organisation(caller.workspaceId) }, finders),
      );
    });
  const preparedWith = (config: string | null, caller: Caller): MaybePromise<Prepared> => {
    const mine = keptOf(caller);
    if (config !== null && !isInline(config))
      return (
        mine.byName.get(config) ??
        after(configs.saved(config, caller.workspaceId), (saved) => after(made(saved, caller), (ready) => mine.keepNamed(config, ready)))
      );
    const compiled = config === null ? NO_CONFIG : configs.inline(config);
    return mine.byConfig.get(compiled) ?? after(made(compiled, caller), (ready) => mine.keep(compiled, ready));
  };

  return (call, caller) => {
    const config = configOf(call, caller);
    if (config !== null || caller.keyType !== "workspace-user" || caller.workspaceId === null) return preparedWith(config, caller);
    return after(ofWorkspace(caller.workspaceId), (workspace = NO_DEFAULTS) => preparedWith(workspace.userKeyConfig, caller));
  };
}

/** The config that counts: the request's own, or its key's. */
function configOf({ control: { config } }: Call, { allowConfigOverride, configId }: Caller): string | null {
  if (config !== undefined && !allowConfigOverride && config !== configId)
    throw leavesPin("a config of the request's own", "x-gateway-config");
  return config ?? configId;
}

/** More are looked up each time. */
const MAX_KEPT = 1_000;

/** What is kept for one caller, from one change of the records to the next. */
class KeptOfCaller {
  readonly byName = new Map<string, Prepared>();
  /** Those without a name are forgotten with their text. */
  readonly byConfig = new WeakMap<CompiledConfig, Prepared>();
  constructor(readonly epoch: number) {}

  keepNamed(name: string, ready: Prepared): Prepared {
    if (this.byName.size < MAX_KEPT) this.byName.set(name, ready);
    return ready;
  }
  keep(config: CompiledConfig, ready: Prepared): Prepared {
    this.byConfig.set(config, ready);
    return ready;
  }
}

interface Finders {
  readonly provider: ProviderFinder;
  readonly guardrails: GuardrailFinder;
}
interface Defaults {
  readonly workspace: WorkspaceDefaults;
  readonly organisation: DefaultGuardrails;
}
function preparedOf(config: CompiledConfig, caller: Caller, { workspace, organisation }: Defaults, find: Finders): Prepared {
  const providers = new Map<string, SavedProvider>();
  const guardrails = new WeakMap<Leaf["inputGuardrails"], readonly ActiveGuardrail[]>();
  const key = CallerGuardrails.of(caller);
  const defaults = new Set([key, workspace, organisation].flatMap(({ input, output }) => [...input, ...output]));
  return {
    configSlug: config.slug,
    root: [key, workspace, organisation].reduce<TargetNode>(withDefaults, config.root), // the organisation's come last
    metadata: workspace.metadata,
    provider: (reference) =>
      providers.get(reference) ??
      after(find.provider(reference, caller), (found) => {
        if (providers.size < MAX_KEPT && !found.saved.isMapped) providers.set(reference, found);
        return found;
      }),
    guardrails: (refs) =>
      guardrails.get(refs) ??
      after(find.guardrails(refs, caller), (found) =>
        after(find.guardrails(defaults.size === 0 ? [] : refs.filter((ref) => defaults.has(ref)), caller), (ofDefaults) => {
          const list =
            ofDefaults.length === 0 ? found : found.map((guardrail) => (ofDefaults.includes(guardrail) ? leading(guardrail) : guardrail));
          guardrails.set(refs, list);
          return list;
        }),
      ),
  };
}

/** What a default guardrail takes out leaves the house by nobody else's check. */
const leading = (guardrail: ActiveGuardrail): ActiveGuardrail =>
  guardrail.async || !guardrail.checks.some(({ loaded }) => loaded?.check.transforms === true) ? guardrail : { ...guardrail, leads: true };
