import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { GatewayError, type Handles, isJson, type Json } from "#contract";
import { headersOf } from "../headers-parameter.ts";
import { jsonFrom } from "../outbound.ts";
import type { Jwt } from "./params.ts";
import { Refused } from "./refused.ts";

const MAX_KEPT = 2_000;
/** Characters of claims that are kept for one token. */
const MAX_KEPT_CHARS = 8_192;
const MAX_BYTES = 64 * 1024;
const FETCH_MS = 3_000;

interface Kept {
  readonly claims: Json | null;
  readonly askedAt: number;
}
/** One question to an introspection endpoint. */
export interface Question {
  readonly token: string;
  readonly params: Jwt & { readonly introspectEndpoint: string };
  /** Headers of the client's that go along. */
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Asks whether tokens are active, and remembers the answers: by a hash, for what is kept is no list of tokens. */
export class Introspection {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT });

  constructor(private readonly host: Pick<Handles, "fetch">) {}

  /** The claims of an active token; throws `Refused` for another one. */
  async claims(question: Question): Promise<Json> {
    const id = idOf(question);
    const kept = this.#kept.get(id);
    const claims = kept && isFresh(kept, question) ? kept.claims : await this.#asked(question, id);
    if (claims === null) throw new Refused("The token is not active.");
    return claims;
  }

  async #asked(question: Question, id: string): Promise<Json | null> {
    const claims = activeClaims(await this.#answer(question), question);
    if (JSON.stringify(claims).length <= MAX_KEPT_CHARS) this.#kept.set(id, { claims, askedAt: question.now });
    return claims;
  }
  #answer({ token, params, headers, signal }: Question): Promise<unknown> {
    const type = params.introspectContentType;
    const body = type === "application/json" ? JSON.stringify({ token }) : new URLSearchParams({ token }).toString();
    const sent = { ...headers, ...headersOf(params.introspectHeaders), accept: "application/json", "content-type": type };
    const init = { method: "POST", headers: sent, body, signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]) };
    return jsonFrom(this.host, params.introspectEndpoint, init, MAX_BYTES);
  }
}

const isFresh = ({ claims, askedAt }: Kept, { params, now }: Question): boolean =>
  now - askedAt < params.introspectCacheMaxAge * 1_000 && now < expiryOf(claims);

const idOf = ({ token, params, headers }: Question): string =>
  createHash("sha256")
    .update(JSON.stringify([params.introspectEndpoint, params.introspectContentType, params.introspectHeaders, headers, token]))
    .digest("base64");

/** `null` for a token that is not active, or has expired all the same. */
function activeClaims(answer: unknown, { params, now }: Question): Json | null {
  if (!isJson(answer) || typeof answer["active"] !== "boolean")
    throw new GatewayError("UPSTREAM_INVALID", {
      provider: new URL(params.introspectEndpoint).host,
      why: "it does not say whether the token is active",
    });
  return answer["active"] && now < expiryOf(answer) + params.clockTolerance * 1_000 ? answer : null;
}
const expiryOf = (claims: Json | null): number => {
  const expiry = claims?.["exp"];
  return typeof expiry === "number" ? expiry * 1_000 : Number.POSITIVE_INFINITY;
};
