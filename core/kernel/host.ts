import {
  type Catalog,
  type Collection,
  GatewayError,
  type Generations,
  type Handles,
  type Host,
  type Json,
  type Manifest,
  type Need,
  MAX_CHECK_ANSWER,
  pluginName,
  type PluginRequestInit,
  type StorageHandle,
  type Vault,
} from "#contract";
import type { Egress } from "../egress/egress.ts";
import type { LateHandles } from "./late-handles.ts";
import type { ProcessLog } from "./process/log.ts";
import type { SharedRecords } from "./records/records.ts";
import { type SecretParts, secretsFor } from "./secrets/secrets.ts";
import type { StorageHandles } from "./records/stores.ts";
import { MAX_WHOLE } from "../json/whole.ts";

/** What there is to hand out at this moment of the boot; storage comes after secrets, and before everything else. */
export interface HostParts {
  readonly egress: Egress;
  readonly vault: Vault;
  readonly catalog: Catalog;
  readonly log: ProcessLog;
  now(): number;
  readonly keepsTables: boolean;
  readonly secrets: SecretParts;
  readonly stores: StorageHandles;
  readonly records: SharedRecords | undefined;
  readonly generations: Generations;
  readonly late: LateHandles;
}
/** Who asks. */
interface Asker {
  readonly manifest: Manifest;
  readonly needs: readonly string[];
  readonly config: Json;
  readonly collections: readonly Collection[];
}
type HandleName = keyof Handles;

/** Makes the host object of one plugin: the base and exactly the handles its code asks for. */
export function hostFor(asker: Asker, parts: HostParts): Host<Need> {
  const host: Record<string, unknown> = { log: parts.log.named(pluginName(asker.manifest)), now: () => parts.now() };
  if (parts.keepsTables) host["keepsTables"] = true;
  for (const name of new Set(asker.needs.flatMap(handlesOf))) host[name] = HANDLES[name](asker, parts);
  return Object.freeze(host) as unknown as Host<Need>; // each asked-for member was put there by its row of the table
}

/** Needs of the code that the manifest does not show to the operator. */
export const undeclaredNeeds = (manifest: Manifest, needs: readonly string[]): readonly string[] =>
  needs.filter((need) => !(manifest.needs ?? []).includes(need));

function handlesOf(need: string): readonly HandleName[] {
  if (need.startsWith("net:")) return ["fetch", "resolve"];
  if (need.startsWith("secret:")) return ["secrets"];
  if (need === "credentials") return []; // what a check is given, no handle
  return [need as HandleName]; // the manifest's schema admits the names of handles only
}

const HANDLES: { readonly [K in HandleName]: (asker: Asker, parts: HostParts) => Handles[K] } = {
  fetch: ({ manifest, config }, { egress }) => fetchFor(manifest, config, egress),
  resolve: ({ manifest, config }, { egress }) => resolveFor(manifest, config, egress),
  secrets: ({ manifest, needs }, { secrets }) => secretsFor(pluginName(manifest), secretNames(needs), secrets),
  records: ({ manifest, collections }, { records }) => present(records, manifest, "records").handle(pluginName(manifest), collections),
  logs: ({ manifest }, { stores }) => present(stores.logs, manifest, "logs"),
  blobs: ({ manifest }, { stores }) => present(stores.blobs, manifest, "blobs"),
  kv: ({ manifest }, { stores }) => present(stores.kv, manifest, "kv"),
  counters: ({ manifest }, { stores }) => present(stores.counters, manifest, "counters"),
  feed: ({ manifest }, { stores }) => present(stores.feed, manifest, "feed"),
  vault: (_, { vault }) => vault,
  catalog: (_, { catalog }) => catalog,
  generations: (_, { generations }) => generations,
  guard: (_, { late }) => late.guard,
  dispatch: (_, { late }) => late.dispatch,
  mail: (_, { late }) => late.mail,
  prices: (_, { late }) => late.prices,
};

const secretNames = (needs: readonly string[]): ReadonlySet<string> =>
  new Set(needs.filter((need) => need.startsWith("secret:")).map((need) => need.slice(7)));

function present<T>(handle: T | undefined, manifest: Manifest, name: StorageHandle): T {
  if (handle !== undefined) return handle;
  throw new GatewayError("PLUGIN_REQUIRES", {
    plugin: pluginName(manifest),
    requires: `a storage plugin that provides ${name}`,
    state: "not running",
  });
}

/** A plugin's `fetch`: the egress client, limited to the hosts that its manifest names, or that its configuration names where the manifest says so. */
function fetchFor(manifest: Manifest, config: Json, egress: Egress): Handles["fetch"] {
  const plugin = pluginName(manifest);
  const hosts = hostsOf(manifest, config);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (!hosts.some((pattern) => covers(pattern, target))) throw new GatewayError("HOST_NOT_DECLARED", { plugin, host: target.host });
    const { body, contentType } = await plainBody(init.body ?? null);
    const headers = spelt(init.headers);
    const wellFormed = new Headers(headers); // throws where a name or a value cannot be one
    if (contentType !== null && !wellFormed.has("content-type")) headers["content-type"] = contentType;
    return egress.send({
      url: target.href,
      method: (init.method ?? "GET").toUpperCase(),
      headers,
      body,
      signal: init.signal ?? new AbortController().signal,
      timeoutMs: null,
      caller: plugin,
      declared: !hosts.includes("*"),
      ...maxAnswerOf(manifest, init),
    });
  };
}

function maxAnswerOf({ kind }: Manifest, { maxAnswerBytes }: PluginRequestInit): { readonly maxAnswer?: number } {
  if (maxAnswerBytes !== undefined) return { maxAnswer: Math.min(maxAnswerBytes, MAX_WHOLE) };
  return kind === "guardrail" ? { maxAnswer: MAX_CHECK_ANSWER } : {};
}

/** A plugin's `resolve`: the same hosts, looked up and judged as if they were called. */
function resolveFor(manifest: Manifest, config: Json, egress: Egress): Handles["resolve"] {
  const plugin = pluginName(manifest);
  return async (host) => {
    if (!mayCall(manifest, config, new URL(`https://${host}`))) throw new GatewayError("HOST_NOT_DECLARED", { plugin, host });
    return egress.addresses(host, plugin);
  };
}

/** Names as the plugin spelt them: a key of the gateway is none any more in lower case. */
const spelt = (headers: HeadersInit = {}): Record<string, string> =>
  Object.fromEntries(headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers));

const hostsOf = ({ needs = [] }: Pick<Manifest, "needs">, config: Json): string[] =>
  needs.filter((need) => need.startsWith("net:")).flatMap((need) => hostsIn(need.slice(4), config));

/** May a plugin of this manifest and configuration call there? */
export const mayCall = (manifest: Pick<Manifest, "needs">, config: Json, target: URL): boolean =>
  hostsOf(manifest, config).some((pattern) => covers(pattern, target));

/** `net:{config.url}`: the host of that member, which may be a URL, a host, or a list of them. Nothing where it is not set. */
function hostsIn(named: string, config: Json): readonly string[] {
  const member = CONFIGURED_HOST.exec(named)?.[1];
  if (member === undefined) return [named.toLowerCase()];
  return [config[member]].flat().flatMap((value) => (typeof value === "string" && value !== "" ? [hostIn(value)] : []));
}
const CONFIGURED_HOST = /^\{config\.(\w+)\}$/;
const hostIn = (value: string): string => (value.includes("://") ? new URL(value).host : value).toLowerCase();

/** `net:*` any host, `net:*.acme.example` its subdomains, `net:acme.example[:port]` that one. */
function covers(pattern: string, target: URL): boolean {
  if (pattern === "*") return true;
  if (pattern.startsWith("*.")) return target.hostname.endsWith(pattern.slice(1));
  return pattern === target.hostname || pattern === target.host;
}

/** What egress can send: text, bytes or a stream; forms and blobs are read into bytes with their content type. */
async function plainBody(
  body: BodyInit | null,
): Promise<{ body: string | Uint8Array | ReadableStream<Uint8Array> | null; contentType: string | null }> {
  if (body === null || typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream)
    return { body, contentType: null };
  const read = new Response(body);
  return { body: new Uint8Array(await read.arrayBuffer()), contentType: read.headers.get("content-type") };
}
