import type { TObject, Static } from "@sinclair/typebox";
import type { Dispatch } from "./dispatch.ts";
import type { GuardrailJudge } from "./guardrail-judge.ts";
import type { HeaderClasses } from "./header-class.ts";
import type { Mailer } from "./mail.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Price } from "./price.ts";
import type { ScopeTable } from "./schema/scope.ts";
import type { Blobs, Collection, Counters, Feed, KeyValue, LogStore, Records, Where, Write } from "./storage.ts";

/** What a plugin may ask for. The host object it receives carries these handles and no others. */
export type Need =
  /** `net:api.acme.example` one host; `net:{config.url}` the host in that member of its configuration; `net:*` any public host (webhooks). */
  | `net:${string}`
  | `secret:${string}`
  | "records"
  | "logs"
  | "blobs"
  | "kv"
  | "counters"
  | "feed"
  /** Sealing of stored secrets and digests of keys. */
  | "vault"
  /** Looks at the running generation: which providers, checks, strategies there are. */
  | "catalog"
  /** The plugins of the running generation, and building the next one. */
  | "generations"
  /** Judging bodies by guardrails without asking a provider. */
  | "guard"
  /** Asking a model, within a request or for a caller. */
  | "dispatch"
  /** Writing to people. */
  | "mail"
  /** What models cost. */
  | "prices"
  /**
   * Guardrails only: accounts that tenants keep for it under `/v2/plugins`, as the pack's `credentials` describe them. No
   * handle: a check's input holds the account of its request's tenant. The plugin's secrets are then a default among others.
   */
  | "credentials";

export interface Handles {
  /** The egress client: only hosts the manifest names, pinned public addresses, no redirects, deadline, abort, metrics. */
  readonly fetch: (url: string | URL, init?: PluginRequestInit) => Promise<Response>;
  /**
   * Addresses of a host that the manifest names, by the system's resolver. Throws HOST_BLOCKED where it leads to a private
   * address, or where there is no such name: which names there are inside is nobody's business.
   */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly secrets: {
    /**
     * Names the manifest asked for. A secret that cannot be had is SECRET_MISSING, which a check may let pass through: it
     * is then an error of class `auth`.
     */ read(name: string): Promise<string>;
  };
  readonly records: RecordsHandle;
  readonly logs: LogStore;
  readonly blobs: Blobs;
  readonly kv: KeyValue;
  readonly counters: Counters;
  readonly feed: Feed;
  readonly vault: Vault;
  readonly catalog: Catalog;
  readonly generations: Generations;
  readonly guard: GuardrailJudge;
  readonly dispatch: Dispatch;
  readonly mail: Mailer;
  readonly prices: Prices;
}

/** Prices as requests are counted by them: a provider's own first, then those of the sources, in their order. */
export interface Prices {
  /** Of a few tokens, for nobody in particular; `undefined` where nobody knows one. */
  of(providerId: string, model: string): MaybePromise<Price | undefined>;
}

/** What a plugin's `fetch` takes. */
export interface PluginRequestInit extends RequestInit {
  /** Bytes of the answer that it may read: at most the 64 MB that any answer has. A guardrail may read 1 MB unless it says so. */
  readonly maxAnswerBytes?: number;
}

export interface RecordsHandle {
  in<S extends TObject>(collection: Collection<S>): Records<Static<S>>;
  /** All of these writes or none, as of `RecordStore`; announced once they are made. */
  together(writes: readonly Write[]): Promise<boolean>;
  /**
   * Read-through look-up by unique members, for the request path: warm answers cost no query and arrive without a
   * promise; every process drops an entry within a second of a write. Misses are remembered too. When the database
   * is away, warm entries go on answering and cold ones throw STORAGE_UNAVAILABLE. While the feed is silent, warm
   * entries are asked for again after at most five seconds.
   */
  lookup<S extends TObject, V>(
    collection: Collection<S>,
    by: readonly (keyof Static<S> & string)[],
    map: (record: Static<S>) => V,
  ): (...values: readonly string[]) => V | undefined | Promise<V | undefined>;
  /** The same for all records that match, or what `map` makes of each; any write to the collection drops what is kept. */
  lookupAll<S extends TObject, V = Static<S>>(
    collection: Collection<S>,
    by: readonly (keyof Static<S> & string)[],
    where: Where<Static<S>>,
    map?: (record: Static<S>) => V,
  ): (...values: readonly string[]) => readonly V[] | Promise<readonly V[]>;
}

export interface Vault {
  /** AES-256-GCM; the text form is safe to store. */
  seal(plain: string): string;
  open(sealed: string): string;
  /** The same for what tenants said, which is long and no secret of the gateway's: the process log is not taught to hide it. It opens under the same name only. */
  sealContent(content: Uint8Array, name: string): Uint8Array;
  openContent(sealed: Uint8Array, name: string): Uint8Array;
  /** Keyed hash (HMAC-SHA-256, hex): how gateway keys are stored. The stored form is never accepted as a key. */
  digest(text: string): string;
  /** What the deployment's new keys begin with; nothing unless its operator set it. */
  readonly keyPrefix?: string;
}

/** What the running generation offers, by id. */
export interface Catalog {
  providers(): readonly {
    readonly id: string;
    readonly title: string;
    readonly operations: readonly string[];
    readonly models?: readonly string[];
    readonly target: TObject | undefined;
  }[];
  /** Ids of all providers of the deployment, of those that are off or have failed too. */
  providerIds(): readonly string[];
  check(id: string): CatalogCheck | undefined;
  checks(): readonly CatalogCheck[];
  /** What accounts consist of, by the ids of the guardrail plugins whose checks need one. */
  credentials(): ReadonlyMap<string, TObject>;
  /** Managers that secret references may name, and the ways to sign in to each. */
  secretManagers(): ReadonlyMap<string, readonly TObject[]>;
  strategies(): readonly string[];
  /**
   * Throws unless this config could be obeyed as it is written: its size, the shape of every level, and a claim for every
   * member (see `ConfigMembers`). What it refers to by name is not looked for. `shape` counts its targets and judges the
   * members that the gateway itself obeys, and no more: for who goes on to seal its secrets, whatever their form.
   */
  judgeConfig(config: unknown, only?: "shape"): void;
  /** Every scope that a key may hold here, those of enabled plugins among them. */
  scopes(): ScopeTable;
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
}
export interface CatalogCheck {
  readonly id: string;
  readonly title: string;
  readonly on: readonly ("input" | "output")[];
  readonly targets: readonly ("llm" | "mcp_tools")[];
  /** Parameters whose schema says `secret: true`: stored sealed, shown masked. */
  readonly secrets: readonly string[];
  /**
   * Sentences that say what is wrong with these parameters; empty when they are right. Whose they are (workspace, or else
   * organisation) counts where judging them takes long: tenants share that fairly. Those that are `mapped` are kept
   * elsewhere: what they hold is not known here, and they may be left out.
   */
  problems(parameters: unknown, tenant: string, mapped?: ReadonlySet<string>): readonly string[] | Promise<readonly string[]>;
  /** Where the first of them is, when its schema can tell: `values.team`, `keys[0]`. */
  wrongMember(parameters: unknown): string | undefined;
}

/** The running generation, for operators. */
export interface Generations {
  /** Number of the generation that serves. */
  readonly number: number;
  /** Every plugin of the deployment, running or not, in profile order; then folders that hold none that could be read. */
  states(): readonly {
    /** `kind/id`, or the folder */
    readonly name: string;
    readonly version: string;
    readonly title: string;
    readonly needs: readonly string[];
    readonly state: "running" | "disabled" | "failed";
    /** Why it is not running, or not as it should, as a sentence. */
    readonly why: string | null;
    readonly code: string | null;
    readonly required: boolean;
    /** Where its checks run: `process` is in processes of their own. */
    readonly isolate: "none" | "process";
    readonly provides: readonly string[];
  }[];
  /**
   * Builds the next generation from the profile as it now is, swaps, drains the old one; a failure throws and changes
   * nothing. So does the loss of a plugin that runs now and that nobody took away, unless it is forced; what is required is
   * never done without.
   */
  reload(how?: { readonly force?: boolean }): Promise<{ readonly number: number }>;
}

type HandleFor<N> = N extends `net:${string}` ? "fetch" | "resolve" : N extends `secret:${string}` ? "secrets" : N;
/** What `setup` receives: the base and exactly the handles that were asked for. */
export type Host<N extends Need> = HostBase & { readonly [K in HandleFor<N> & keyof Handles]: Handles[K] };

export interface HostBase {
  /** Writes one redacted line to the process log. */
  readonly log: Logger;
  /** The clock, milliseconds since the epoch. */
  now(): number;
  /**
   * A command works beside a deployment that another build may be serving: a storage whose tables are not this build's
   * refuses (MIGRATION_REFUSED) instead of changing them. Records may be written.
   */
  readonly keepsTables?: true;
}
export type Logger = (level: "debug" | "info" | "warn" | "error", event: string, fields?: Readonly<Record<string, unknown>>) => void;
