/** What pages of other origins may do, as the operator set it. The names are those of the Fetch standard. */
export interface CorsRules {
  /** `https://app.example`, or `*` for all; none: no page of another origin may ask. */
  readonly origins: readonly string[];
  /** Methods, request headers and answer headers that such a page may use; DEFAULTS where none are named. */
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
}

const DEFAULTS = { methods: ["GET", "POST", "PUT", "PATCH", "DELETE"], exposed: ["*"] } as const;
/** Seconds for which a browser may remember what it was told. */
const MAX_AGE = "600";

/** Answers browsers that ask first, and says on every other answer which origin may read it. No cookie is ever allowed. */
export class Cors {
  readonly #allowsAll: boolean;
  /** As a browser writes them. */
  readonly #origins: ReadonlySet<string>;
  constructor(private readonly rules: CorsRules) {
    this.#allowsAll = rules.origins.includes("*");
    this.#origins = new Set(rules.origins.filter((origin) => origin !== "*").map((origin) => new URL(origin).origin));
  }

  /** The answer to a browser that asks whether it may ask; `undefined` for every other request. */
  preflight({ method, headers }: Request): Response | undefined {
    if (method !== "OPTIONS" || !headers.has("origin") || !headers.has("access-control-request-method")) return undefined;
    const answer = new Response(null, { status: 204 });
    if (!this.admits(headers.get("origin") ?? "")) return this.varied(answer);
    const { methods, headers: named } = this.rules;
    // An asterisk would not cover `authorization`: what is asked for is named.
    const allowed = named.length > 0 && !named.includes("*") ? named.join(", ") : (headers.get("access-control-request-headers") ?? "");
    answer.headers.set("access-control-allow-methods", (methods.length > 0 ? methods : DEFAULTS.methods).join(", "));
    if (allowed !== "") answer.headers.set("access-control-allow-headers", allowed);
    answer.headers.set("access-control-max-age", MAX_AGE);
    return this.allowed(headers.get("origin") ?? "", answer);
  }
  /** The answer to a request of any other kind. */
  withOrigin({ headers }: Request, answer: Response): Response {
    const origin = headers.get("origin");
    if (origin === null || !this.admits(origin)) return this.varied(answer);
    const { exposed } = this.rules;
    answer.headers.set("access-control-expose-headers", (exposed.length > 0 ? exposed : DEFAULTS.exposed).join(", "));
    return this.allowed(origin, answer);
  }
  private admits(origin: string): boolean {
    return this.#allowsAll || this.#origins.has(origin);
  }
  private allowed(origin: string, answer: Response): Response {
    answer.headers.set("access-control-allow-origin", this.#allowsAll ? "*" : origin);
    return this.varied(answer);
  }
  /** What is told to one origin must not be kept for another. */
  private varied(answer: Response): Response {
    if (!this.#allowsAll) answer.headers.append("vary", "origin");
    return answer;
  }
}
