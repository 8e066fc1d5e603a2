import {
  type Catalog,
  type Collection,
  GatewayError,
  type Generations,
  headerClasses,
  RECORDS,
  SCOPE_TABLE,
  isSecretManager,
  type SecretManager,
  type SecretSource,
  type Vault,
} from "#contract";
import type { Egress } from "../egress/egress.ts";
import type { Isolation } from "../compute/isolated/isolation.ts";
import type { Compute } from "../compute/pool.ts";
import { catalogOf, type Offers } from "./check.ts";
import { configRules } from "./config/rules.ts";
import { REQUIRED_KINDS, type RegistryRow } from "./discovery/deployment.ts";
import type { Unreadable } from "./discovery/external.ts";
import type { HostParts } from "./host.ts";
import type { Jobs } from "./jobs/jobs.ts";
import { countInFlight, type InFlight } from "./process/in-flight.ts";
import type { ProcessLog } from "./process/log.ts";
import { LateHandles } from "./late-handles.ts";
import type { Outbox } from "./mail/outbox.ts";
import { type MissingSecrets, missingSecrets } from "./secrets/missing-secrets.ts";
import type { PartHealth } from "./states.ts";
import type { Profile } from "./settings/profile.ts";
import type { Audit } from "./audit/audit.ts";
import type { SharedRecords } from "./records/records.ts";
import type { Settings } from "./settings/settings.ts";
import type { StoreHealth } from "./records/store-health.ts";
import { type Carried, type DeployedPlugin, fail, isUp, type Stage, STEP_LIMITS, type StepLimits } from "./life.ts";
import type { StorageHandles } from "./records/stores.ts";

export interface BootInput {
  readonly number: number;
  readonly settings: Settings;
  readonly profile: Profile;
  readonly registry: readonly RegistryRow[];
  readonly vault: Vault;
  readonly egress: Egress;
  readonly log: ProcessLog;
  now(): number;
  readonly limits?: Partial<StepLimits>;
  /** Storage of the generation before, which goes on when nothing about it changed. */
  readonly carried: Carried;
  /** No table is changed: a storage that would have to refuses. */
  readonly keepsTables?: boolean;
  /** Parts of the process that outlive generations and have a state to tell. */
  readonly parts: PartHealth;
  /** Where checks run that may take long. */
  readonly compute: Compute;
  /** Where the checks of isolated packs run. */
  readonly isolation?: Isolation;
  /** For plugins that show or change the running generation. */
  readonly generations: Generations;
}

/** Why no generation came to be: the errors of what is required. */
export class BootFailed extends Error {
  override readonly name = "BootFailed";
  constructor(readonly errors: readonly GatewayError[]) {
    super(errors.map((error) => error.message).join("\n"));
  }
}

/** The plugin errors behind a boot that failed. */
export const bootErrors = (error: unknown): readonly GatewayError[] => {
  if (GatewayError.is(error)) return [error];
  return error instanceof BootFailed ? error.errors : [];
};

/** A generation while it is built. One writer: the boot. */
export interface Building {
  readonly input: BootInput;
  readonly limits: StepLimits;
  readonly plugins: readonly DeployedPlugin[];
  /** Id -> the plugin that has it. */
  readonly owners: Map<string, string>;
  readonly tables: Map<string, Collection>;
  readonly catalog: Catalog;
  readonly inFlight: InFlight;
  readonly missing: MissingSecrets;
  readonly late: LateHandles;
  stores: StorageHandles;
  records?: SharedRecords;
  audit?: Audit;
  storeHealth?: StoreHealth;
  jobs?: Jobs;
  outbox?: Outbox;
  offers: Offers;
}

const NOTHING = {
  providers: new Map(),
  checks: new Map(),
  credentials: new Map(),
  secretManagers: new Map(),
  strategies: new Map(),
} as const;

export function begin(input: BootInput, plugins: readonly DeployedPlugin[]): Building {
  const building: Building = {
    input,
    limits: { ...STEP_LIMITS, ...input.limits },
    plugins,
    owners: new Map(),
    tables: new Map(RECORDS.map((collection) => [collection.name, collection])),
    catalog: catalogOf(() => building.offers, plugins, headerClasses(input.settings.headerAliases)),
    inFlight: countInFlight(),
    missing: missingSecrets(),
    late: new LateHandles(),
    stores: {},
    offers: { ...NOTHING, scopes: SCOPE_TABLE, config: configRules({ ...NOTHING, policies: [], apis: [], caches: new Map() }) },
  };
  return building;
}

/** What hosts may hand out at this moment of the boot. */
export function partsFor({ input, plugins, catalog, stores, records, missing, late }: Building): HostParts {
  const sources = plugins
    .filter(isUp)
    .filter(({ manifest }) => manifest.kind === "secret")
    .map(({ stage }) => stage.instance.running.provides as SecretSource | SecretManager) // the kind says so
    .flatMap((plugin) => (isSecretManager(plugin) ? [] : [plugin]));
  const { egress, vault, log, now, generations, profile, keepsTables = false } = input;
  const secrets = { sources: new Map(sources.map((source) => [source.scheme, source])), places: profile.secrets, missing, log };
  return { egress, vault, catalog, log, now, keepsTables, generations, stores, records, secrets, late };
}

/** Is everything there that the plugin's manifest requires? */
export function judgeRequirements(deployed: DeployedPlugin, plugins: readonly DeployedPlugin[]): void {
  const { name: plugin, manifest, stage } = deployed;
  if (stage.at === "off" || stage.at === "failed") return;
  for (const requires of manifest.requires ?? []) {
    const state = UNMET[plugins.find(({ name }) => name === requires)?.stage.at ?? "absent"];
    if (state !== undefined) fail(deployed, new GatewayError("PLUGIN_REQUIRES", { plugin, requires, state }));
  }
}
/** Stages of a plugin that another one cannot build on. */
const UNMET: { readonly [At in Stage["at"] | "absent"]?: string } = { absent: "not installed", off: "disabled", failed: "not running" };

/** What requires a plugin that failed fails too, and so on. */
export function dismissUnmet({ plugins }: Building): void {
  for (let before = -1, failed = failures(plugins); failed !== before; failed = failures(plugins)) {
    before = failed;
    for (const deployed of plugins) judgeRequirements(deployed, plugins);
  }
}
const failures = (plugins: readonly DeployedPlugin[]): number => plugins.filter(({ stage }) => stage.at === "failed").length;

/** Nor is a policy done without whose manifest cannot be accepted: it would guard something. */
export function refuseUnreadable(unreadable: readonly Unreadable[]): void {
  const errors = unreadable.flatMap(({ error, kind }) => (REQUIRED_KINDS.has(kind) ? [error] : []));
  if (errors.length > 0) throw new BootFailed(errors);
}

/** A required plugin that failed ends the boot, and so does a setting that no plugin can take: going on would ignore it. */
export function refuseFailed(plugins: readonly DeployedPlugin[]): void {
  const errors = plugins.flatMap(({ stage, required }) =>
    stage.at === "failed" && (required || stage.error.code === "SETTING_INVALID") ? stage.error : [],
  );
  if (errors.length > 0) throw new BootFailed(errors);
}
