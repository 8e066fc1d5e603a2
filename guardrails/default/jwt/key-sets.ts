import { createHash } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import { LRUCache } from "lru-cache";
import { GatewayError, type Handles, isJson } from "#contract";
import { jsonFrom } from "../outbound.ts";
import { SharedWork } from "./shared-work.ts";

/** Finds the key that a token names. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** From where, with what, and for how long. */
export interface KeySource {
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAgeMs: number;
}
interface Kept {
  readonly keys: KeySet;
  readonly fetchedAt: number;
  /** When it was last fetched because a token named a key that was not in it. */
  readonly renewedAt: number;
}

const MAX_KEPT = 200;
const MAX_BYTES = 512 * 1024;
const MAX_KEYS = 100;
/** Whoever makes up names of keys makes us ask for them no more often than this. */
const RENEW_MS = 30_000;
/** Sooner than a check is given up, so that a denying guardrail hears why. */
const FETCH_MS = 3_000;

/** Keys by the address they were fetched from. */
export class KeySets {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  readonly #fetching = new SharedWork<KeySet>();

  constructor(private readonly host: Pick<Handles, "fetch">) {}

  async get(source: KeySource, now: number, signal: AbortSignal): Promise<KeySet> {
    const kept = this.#kept.get(idOf(source));
    if (kept && now - kept.fetchedAt < source.maxAgeMs) return kept.keys;
    return this.#fetched(source, { now, renewedAt: kept?.renewedAt ?? Number.NEGATIVE_INFINITY, signal });
  }

  /** Fetched anew, because it does not hold a key; `undefined` where that was done a moment ago. */
  async renewed(source: KeySource, now: number, signal: AbortSignal): Promise<KeySet | undefined> {
    const kept = this.#kept.get(idOf(source));
    if (kept && now - kept.renewedAt < RENEW_MS) return undefined;
    return this.#fetched(source, { now, renewedAt: now, signal });
  }

  async #fetched(source: KeySource, { now, renewedAt, signal }: { now: number; renewedAt: number; signal: AbortSignal }): Promise<KeySet> {
    const id = idOf(source);
    const keys = await this.#fetching.ask(id, signal, (stop) => this.#asked(source, stop));
    this.#kept.set(id, { keys, fetchedAt: now, renewedAt });
    return keys;
  }
  async #asked({ uri, headers }: KeySource, stop: AbortSignal): Promise<KeySet> {
    const init = { headers: { ...headers, accept: "application/jwk-set+json, application/json" } };
    const signal = AbortSignal.any([stop, AbortSignal.timeout(FETCH_MS)]);
    return keySetOf(await jsonFrom(this.host, uri, { ...init, signal }, MAX_BYTES), new URL(uri).host);
  }
}
/** What a client sent along may be a credential: it is kept as a hash. */
function idOf({ uri, headers }: KeySource): string {
  for (const _ in headers)
    return createHash("sha256")
      .update(JSON.stringify([uri, headers]))
      .digest("base64");
  return uri;
}

/** Throws UPSTREAM_INVALID for what is no JWKS document. */
function keySetOf(document: unknown, provider: string): KeySet {
  const keys: unknown = isJson(document) ? document["keys"] : undefined;
  if (!Array.isArray(keys) || !keys.every(isJson)) throw new GatewayError("UPSTREAM_INVALID", { provider, why: "it is no JWKS document" });
  if (keys.length > MAX_KEYS) throw new GatewayError("UPSTREAM_INVALID", { provider, why: `it holds more than ${MAX_KEYS} keys` });
  return createLocalJWKSet({ keys } as JSONWebKeySet); // a key that is none fails when a token names it
}

/** Keys that stand in the parameters, imported once. */
const inPlace = new WeakMap<object, KeySet>();
export function keysInPlace(jwks: { readonly keys: readonly unknown[] }): KeySet {
  const known = inPlace.get(jwks) ?? createLocalJWKSet(jwks as JSONWebKeySet); // judged by the schema
  inPlace.set(jwks, known);
  return known;
}
