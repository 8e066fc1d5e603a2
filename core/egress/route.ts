import dns from "node:dns";
import { LRUCache } from "lru-cache";
import { isPublicAddress } from "./address.ts";
import type { Trust } from "./trust.ts";
import { judgeOrigin, notPublic, type Origin } from "./url.ts";

/** Addresses of a name; rejects with a `code` as node:dns does. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** How to reach an origin: where to connect, and under which name. */
export interface Route {
  /** `scheme://address:port` to connect to, in the order to try. */
  readonly bases: readonly string[];
  /** `Host` header and certificate name, when the connection goes to an address that was looked up. */
  readonly name: { readonly header: string; readonly server: string } | null;
  /** An operator vouches for it: it may be private, and this gateway itself. */
  readonly trusted: boolean;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const FRESH_MS = 30_000;
const MAX_ROUTES = 2_000;
const NO_SUCH_NAME: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA", "ENONAME"]);

/**
 * Routes by origin. Trusted hosts and literal addresses are judged once and need no look-up; a public name is looked
 * up here, every answer is judged, and the connection is bound to the judged addresses: an answer that changes
 * afterwards changes nothing. Judged answers are kept for at most 30 s.
 */
export class Routes {
  readonly #known = new LRUCache<string, Route>({ max: MAX_ROUTES });
  readonly #pending = new Map<string, Promise<Route>>();

  constructor(
    readonly trust: Trust,
    readonly resolve: Resolve,
    readonly now: () => number,
    readonly isPublic: (address: string) => boolean = isPublicAddress,
  ) {}

  /** Without a promise when it is known. `declared`: see EgressRequest. */
  to(origin: string, declared: boolean): Route | Promise<Route> {
    const cached = this.#known.get(origin);
    if (cached !== undefined && cached.until > this.now()) return cached;
    const at = judgeOrigin(origin, this.trust);
    if (at.trusted || at.isAddress)
      return this.#keep(origin, { bases: [origin], name: null, trusted: at.trusted, until: Number.POSITIVE_INFINITY });
    return this.#lookUp(origin, at, declared);
  }

  /** Addresses of a host that a caller chose, each judged unless an operator vouches for it. */
  async addresses(host: string): Promise<readonly string[]> {
    const at = judgeOrigin(`https://${host}`, this.trust);
    if (at.isAddress) return [at.host];
    const found = await this.#addresses(at.host, false);
    if (found.length === 0 || !(at.trusted || found.every(this.isPublic))) throw notPublic(at);
    return found;
  }

  #lookUp(origin: string, at: Origin, declared: boolean): Promise<Route> {
    const key = `${declared}${origin}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const route = this.#judged(at, declared)
      .then((found) => this.#keep(origin, found))
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, route);
    return route;
  }

  async #judged(at: Origin, declared: boolean): Promise<Route> {
    const addresses = await this.#addresses(at.host, declared);
    if (addresses.length === 0 || !addresses.every(this.isPublic)) throw notPublic(at);
    const port = portSuffix(at);
    return {
      bases: ipv4First(addresses).map((address) => `${at.scheme}://${address.includes(":") ? `[${address}]` : address}${port}`),
      name: { header: `${at.host}${port}`, server: at.host },
      trusted: false,
      until: this.now() + FRESH_MS,
    };
  }

  /** A caller who chose the host must not learn whether a private name exists: "no such name" looks like "not public". */
  async #addresses(host: string, declared: boolean): Promise<readonly string[]> {
    try {
      return await this.resolve(host);
    } catch (error) {
      if (!declared && NO_SUCH_NAME.has((error as { code?: unknown } | null)?.code)) return [];
      throw error;
    }
  }

  #keep(origin: string, route: Route): Route {
    this.#known.set(origin, route);
    return route;
  }
}

/** The system's resolver, hosts file included. */
export const systemResolve: Resolve = async (host) => (await dns.promises.lookup(host, { all: true })).map((answer) => answer.address);

/** Without happy eyeballs, IPv4 is the safer first try: many containers have an IPv6 address and no route. */
const ipv4First = (addresses: readonly string[]): string[] =>
  [...addresses].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));

const portSuffix = (at: Origin): string => (at.port === (at.scheme === "https" ? 443 : 80) ? "" : `:${at.port}`);
