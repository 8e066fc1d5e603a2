import type { Static, TObject } from "@sinclair/typebox";
import type { Api, Route } from "./api.ts";
import type { Cache } from "./cache.ts";
import type { Host, Need } from "./capability.ts";
import type { Console } from "./console.ts";
import type { Exporter } from "./exporter.ts";
import type { GuardrailPack } from "./guardrail.ts";
import type { Health } from "./health.ts";
import type { Job } from "./job.ts";
import type { MailTransport } from "./mail.ts";
import type { Policy } from "./policy.ts";
import type { PriceSource } from "./price.ts";
import type { Provider } from "./provider.ts";
import type { Resource } from "./resource.ts";
import type { SecretManager, SecretSource } from "./secret.ts";
import type { Archive, Collection, Storage } from "./storage.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Every kind of plugin, and what a plugin of that kind provides. */
export interface Kinds {
  provider: Provider;
  price: PriceSource;
  tokenizer: Tokenizer;
  mail: MailTransport;
  guardrail: GuardrailPack;
  storage: Storage;
  policy: Policy;
  cache: Cache;
  exporter: Exporter;
  api: Api;
  admin: Admin;
  secret: SecretSource | SecretManager;
  console: Console;
}
export type Kind = keyof Kinds;
/** In the order in which they are set up. */
export const KINDS = [
  "secret",
  "storage",
  "cache",
  "provider",
  "price",
  "tokenizer",
  "mail",
  "guardrail",
  "policy",
  "exporter",
  "api",
  "admin",
  "console",
] as const satisfies readonly Kind[];

/** A control-plane plugin: its resources (`defineResource`), and routes that are no resource. */
export interface Admin {
  readonly resources?: readonly Resource[];
  readonly routes?: readonly Route[];
}

export interface Plugin<K extends Kind = Kind, C extends TObject = TObject, N extends Need = Need> {
  readonly kind: K;
  /** Configuration: validation, defaults, documentation and the console form. */
  readonly config: C;
  /** A subset of the manifest's needs; repeated here because types cannot be read from JSON. */
  readonly needs: readonly N[];
  /** Records this plugin reads or writes; the storage makes their tables. */
  readonly collections?: readonly Collection[];
  /**
   * What is wrong with a configuration beyond what its schema can say: an address that is none, a file that is not there.
   * Asked by `check` and before setup, with defaults filled in; members that are required may be missing where the
   * environment alone is judged. `path` is the member.
   */
  problems?(config: Partial<Static<C>>): readonly { readonly path: string; readonly why: string }[];
  /** Storage only: `gateway backup` and `gateway restore`. */
  readonly archive?: K extends "storage" ? Archive<Static<C>> : never;
  setup(host: Host<N>, config: Static<C>): Running<Kinds[K]> | Promise<Running<Kinds[K]>>;
}

/** A plugin at work. */
export interface Running<T> {
  readonly provides: T;
  /** Connections open, caches warm; failing here keeps the old generation serving. */
  ready?(): Promise<void>;
  /** How it is doing, asked whenever somebody looks; answers at once, from what it knows. */
  health?(): Health;
  /** Periodic work. It begins when the plugin's generation serves, and is stopped before `drain`. */
  readonly jobs?: readonly Job[];
  /** No new work arrives; finish what is in flight. */
  drain?(deadline: AbortSignal): Promise<void>;
  /** Called even when setup or ready failed half-way. */
  close?(): Promise<void>;
}

/** Identity at run time; its work is type inference from `config` and `needs`. */
export const definePlugin = <const K extends Kind, C extends TObject, const N extends Need = never>(
  plugin: Plugin<K, C, N>,
): Plugin<K, C, N> => plugin;
