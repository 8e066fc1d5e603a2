import { expect } from "bun:test";
import { type Counters, GatewayError, type Handles, type InnerAsk, type Json } from "#contract";
import { mayCall } from "../../core/kernel/host.ts";

/* A service behind a check, as tests have it answer. */

export interface VendorCase {
  /** The exact request that is expected. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly request?: string;
  readonly status?: number;
  readonly body: unknown;
  /** Only the status of its answer counts, and nobody reads what it says. */
  readonly unread?: true;
}

export type VendorAnswer = (url: string, init: RequestInit) => Response | Promise<Response>;
/** Answers when it is aborted, and only then. */
export const neverAnswers: VendorAnswer = (_, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
export const vendorAnswer = (of: VendorCase | undefined): Response => Response.json(of?.body ?? {}, { status: of?.status ?? 200 });

/** Counters with room for everything. */
const roomy: Counters = {
  reserve: async (claims) => ({ granted: true, values: claims.map(({ by }) => by) }),
  add: async (changes) => changes.map(({ by }) => by),
  read: async (keys) => keys.map(() => 0),
};

/** Stands in for the egress client: keeps what was asked, answers as told, refuses hosts the manifest does not name. */
export class Vendor {
  readonly requests: { readonly url: string; readonly headers: Headers; readonly body: string }[] = [];
  lastSignal: AbortSignal | undefined;
  private respond: VendorAnswer = neverAnswers;
  private waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private empty = false;

  constructor(
    private readonly needs: readonly string[],
    private readonly config: Json = {},
  ) {}

  get holdsSecrets(): boolean {
    return this.needs.some((need) => need.startsWith("secret:"));
  }
  /** Is it one vendor's? Otherwise a caller chose it, who has no account there that an operator would have to mend. */
  get isVendors(): boolean {
    return this.needs.includes("credentials") || !this.needs.includes("net:*");
  }
  /** Every secret is missing meanwhile, as the kernel would say it. */
  async withoutSecrets<T>(work: () => Promise<T>): Promise<T> {
    this.empty = true;
    try {
      return await work();
    } finally {
      this.empty = false;
    }
  }

  answers(respond: VendorAnswer): void {
    this.respond = respond;
  }
  /** Resolves when so many requests have arrived. */
  asked(count: number): Promise<void> {
    return this.requests.length >= count ? Promise.resolve() : new Promise((resolve) => this.waiting.push({ count, resolve }));
  }
  expectRequest({ url, headers, request }: VendorCase): void {
    const last = this.requests.at(-1);
    if (url !== undefined) expect(last?.url).toBe(url);
    if (request !== undefined) expect(last?.body).toBe(request);
    for (const [name, value] of Object.entries(headers ?? {})) expect([name, last?.headers.get(name)]).toEqual([name, value]);
  }
  /** What `setup` receives. */
  get host(): Pick<Handles, "fetch" | "resolve" | "secrets" | "dispatch" | "counters"> & { log(): void; now(): number } {
    return {
      dispatch: (ask) => this.dispatch(ask),
      counters: roomy,
      fetch: (url, init) => this.fetch(String(url), init ?? {}),
      resolve: async (host) => [host],
      secrets: {
        read: async (name) => {
          if (!this.empty && this.needs.includes(`secret:${name}`)) return `secret-of-${name}`;
          throw new GatewayError("SECRET_MISSING", { plugin: "guardrail/kit", secret: name, why: "set it" });
        },
      },
      log: () => undefined,
      now: () => 1_700_000_000_000,
    };
  }
  /** A model of the gateway is a service too: asked at the operation's own name. */
  private dispatch({ operation, body, provider, config, signal }: InnerAsk): Promise<Response> {
    const headers = { ...(provider !== undefined && { provider }), ...(config !== undefined && { config }) };
    return this.answer(`gateway:${operation}`, { headers, body: JSON.stringify(body), signal });
  }
  private async fetch(url: string, init: RequestInit): Promise<Response> {
    const target = new URL(url);
    if (!mayCall({ needs: [...this.needs] }, this.config, target))
      throw new GatewayError("HOST_NOT_DECLARED", { plugin: "guardrail/kit", host: target.host });
    return this.answer(url, init);
  }
  private async answer(url: string, init: RequestInit): Promise<Response> {
    this.requests.push({ url, headers: new Headers(init.headers), body: String(init.body) });
    this.lastSignal = init.signal ?? undefined;
    this.waiting = this.waiting.filter(({ count, resolve }) => count > this.requests.length || resolve());
    return this.respond(url, init);
  }
}
