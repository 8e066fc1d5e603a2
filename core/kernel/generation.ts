import type { TObject } from "@sinclair/typebox";
import type {
  Cache,
  Catalog,
  Check,
  Collection,
  Console,
  Dialect,
  Exporter,
  Handles,
  Health,
  Logger,
  LogStore,
  Manifest,
  MountedOperation,
  OperationName,
  OperationRoute,
  Passing,
  Policy,
  PriceSource,
  Provider,
  RecordsHandle,
  Route,
  ScopeTable,
  SecretManager,
  Strategy,
  Tokenizer,
  Vault,
} from "#contract";
import type { Counters, Feed, KeyValue } from "#contract";
import type { Isolation } from "../compute/isolated/isolation.ts";
import type { Compute } from "../compute/pool.ts";
import type { PackSource } from "../compute/work.ts";
import type { Egress } from "../egress/egress.ts";
import type { ConfigRules } from "./config/rules.ts";
import type { FindCredentials } from "./credentials.ts";
import type { LateHandles } from "./late-handles.ts";
import type { Audit } from "./audit/audit.ts";
import type { Epoch } from "./records/epoch.ts";
import type { OAuthTokens } from "./secrets/oauth-tokens.ts";
import type { ReadReference } from "./secrets/references.ts";
import type { KeyHeaders } from "./secrets/caller-key.ts";

/** An operation as a plugin mounts it. */
export interface MountedRoute extends OperationRoute {
  readonly row: MountedOperation;
}

/** Everything the running plugins provide, by id: what requests look things up in. */
export interface Assembled {
  readonly providers: ReadonlyMap<string, Provided<Provider>>;
  readonly checks: ReadonlyMap<string, LoadedCheck>;
  /** What accounts with vendors consist of, by the ids of the guardrail plugins whose checks need one. */
  readonly credentials: ReadonlyMap<string, TObject>;
  /** Managers of secrets that tenants keep elsewhere, by what references call them. */
  readonly secretManagers: ReadonlyMap<string, SecretManager>;
  /** What a secret reference gives. */
  readonly readReference: ReadReference;
  /** Tokens that integrations are called with. */
  readonly oauth: OAuthTokens;
  readonly policies: readonly Provided<Policy>[];
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly caches: ReadonlyMap<string, Cache>;
  readonly exporters: readonly Provided<Exporter>[];
  /** In profile order. */
  readonly prices: readonly Provided<PriceSource>[];
  /** In profile order. */
  readonly tokenizers: readonly Provided<Tokenizer>[];
  readonly dialects: ReadonlyMap<string, Dialect>;
  readonly operations: ReadonlyMap<OperationName, MountedRoute>;
  readonly routes: readonly Route[];
  /** Where clients say the one key that they have. */
  readonly keyHeaders: KeyHeaders;
  /** What is read of requests that pass as they came; absent where none do. */
  readonly passing: Passing | undefined;
  readonly console: Console | undefined;
  /** What a config may be here. */
  readonly config: ConfigRules;
  readonly scopes: ScopeTable;
}

/**
 * One complete, running configuration of plugins. A request enters one generation and stays in it; a change of
 * profile builds the next one beside it, swaps, and drains this one.
 */
export interface Generation extends Assembled {
  readonly number: number;
  /** Every plugin of the deployment, running or not, in profile order. */
  readonly plugins: readonly PluginState[];
  /** Folders of the plugins folder that hold no readable plugin. */
  readonly unreadable: readonly UnreadablePlugin[];
  readonly catalog: Catalog;
  readonly stores: Stores;
  readonly vault: Vault;
  readonly egress: Egress;
  /** The process log. */
  readonly log: Logger;
  readonly compute: Compute;
  /** Where the checks of isolated packs run. */
  readonly isolation: Isolation | undefined;
  /** Opens the handles that plugins have of the pipeline. */
  readonly late: LateHandles;
  /** Counts a request in; the returned function counts it out (once). Draining waits for the count to reach zero. */
  enter(): () => void;
  readonly inFlight: number;
  /** How each part is doing, by name: the stores (`store/records`), parts of the process (`memory`), plugins (`kind/id`) that tell. */
  health(): ReadonlyMap<string, Health>;
}

/** A manifest that could not be accepted, so that there is not even a name. */
export interface UnreadablePlugin {
  readonly origin: string;
  readonly code: string;
  readonly why: string;
}

/** The handles that storage plugins provide between them. */
export interface Stores {
  readonly records: RecordsHandle;
  /** Absent where it is switched off. */
  readonly audit?: Audit | undefined;
  /** Tells when records of these collections may have changed. */
  epoch(collections: readonly Collection[]): Epoch;
  readonly logs: LogStore;
  readonly counters: Counters;
  readonly kv: KeyValue;
  readonly feed: Feed;
  readonly blobs: Handles["blobs"] | undefined;
}

/** What a plugin that is up provides, and whose it is: as requests find it. */
export interface Provided<T> {
  /** `kind/id` */
  readonly name: string;
  readonly manifest: Manifest;
  readonly provides: T;
  /** What stands for it where the watchdog looks. */
  readonly mark?: number;
  /** Its code, when it is no part of this program. */
  readonly module?: PackSource["module"];
}

/** A check with its parameters' validator, compiled once. */
export interface LoadedCheck {
  /** Where its code is, for a process of its own. */
  readonly source: PackSource;
  /** What stands for its plugin where the watchdog looks. */
  readonly mark: number;
  readonly check: Check;
  /** The account of a tenant with the pack's vendor. */
  readonly credentials: FindCredentials;
  /** Fills defaults into a copy. */
  defaults(parameters: unknown): unknown;
  /** Parameters that nothing obeys, as sentences; empty when there are none. */
  idle(parameters: unknown): readonly string[];
  /**
   * What is wrong with (default-filled) parameters; empty when they are right. What takes long to judge is judged in another
   * process, for the tenant; throws NOT_READY when there is no place for it. Those that are `mapped` are judged when they
   * have been read, and the others by the schema alone where one of those is left out.
   */
  problems(parameters: unknown, tenant: string, mapped?: ReadonlySet<string>): readonly string[] | Promise<readonly string[]>;
}

export interface PluginState {
  readonly name: string;
  readonly manifest: Manifest;
  /** `built-in`, or the folder it was loaded from. */
  readonly origin: string;
  readonly required: boolean;
  /** Where its checks run. */
  readonly isolate: "none" | "process";
  readonly state: "running" | "disabled" | "failed";
  /** Why it is not running, or not as it should, as a sentence. */
  readonly why: string | null;
  /** Error code when failed. */
  readonly code: string | null;
  /** Ids it provides. */
  readonly provides: readonly string[];
}
