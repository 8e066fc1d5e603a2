import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { LRUCache } from "lru-cache";
import { GatewayError, type Handles, isJson, type Json, UpstreamFailure } from "#contract";
import { PROVIDER } from "./target.ts";

export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFE_SEC = 3600;
/** Share of its life for which a token is used: of an hour, 50 minutes. */
const KEPT = 5 / 6;
const MOST_KEPT = 1_000;
const PATIENCE_MS = 10_000;
const MAX_ANSWER = 65_536;

export interface Outside {
  readonly fetch: Handles["fetch"];
  now(): number;
}
interface Kept {
  readonly token: Promise<string>;
  /** Milliseconds since the epoch. */
  staleAt: number;
}
export interface Token {
  readonly text: string;
  readonly lifeSec: number;
}

/**
 * Tokens of identities. Each is kept for five sixths of its life, and asked for once however many requests wait for it;
 * failures are not kept. All of an identity is part of its name here, its secrets too: who knows the rest of it only must
 * not be given its token.
 */
export function keptTokens<T>(outside: Outside, ask: (identity: T) => Promise<Token>): (identity: T) => Promise<string> {
  const tokens = new LRUCache<string, Kept>({ max: MOST_KEPT });
  return (identity) => {
    const id = createHash("sha256").update(JSON.stringify(identity)).digest("base64");
    const kept = tokens.get(id);
    if (kept && outside.now() < kept.staleAt) return kept.token;
    const fresh = renewed(ask(identity), outside.now());
    tokens.set(id, fresh);
    fresh.token.catch(() => tokens.peek(id) === fresh && tokens.delete(id));
    return fresh.token;
  };
}

function renewed(token: Promise<Token>, askedAt: number): Kept {
  const settled = ({ text, lifeSec }: Token): string => {
    kept.staleAt = askedAt + lifeSec * KEPT * 1000;
    return text;
  };
  const kept: Kept = { token: token.then(settled), staleAt: Number.POSITIVE_INFINITY };
  return kept;
}

interface Question {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
/** How a token is read out of an answer; `undefined` where there is none. */
export type ReadToken = (body: Json, nowMs: number) => Token | undefined;
interface Asking {
  readonly patienceMs?: number | undefined;
  readonly read?: ReadToken;
}

/** Asks a token endpoint. One that is away is UPSTREAM_UNREACHABLE, one that refuses an authentication failure. */
export async function asked(question: Question, outside: Outside, { patienceMs = PATIENCE_MS, read = GRANTED }: Asking): Promise<Token> {
  const { url, headers, body } = question;
  const deadline = AbortSignal.timeout(patienceMs);
  try {
    const response = await outside.fetch(url, {
      method: "POST",
      headers: { accept: "application/json", ...headers },
      body,
      signal: deadline,
    });
    const answer = parsed(await shortText(response));
    if (response.status !== 200) throw refused(response.status, answer, url.host);
    return read(answer, outside.now()) ?? noToken(url.host);
  } catch (thrown) {
    throw deadline.aborted ? unreachable(url.host, `it did not answer within ${patienceMs} ms`) : named(thrown, url.host);
  }
}

/* ── what the endpoint answers ───────────────────────────────────────────────────────────────────────────────── */

const TOKEN = "^[\\x21-\\x7e]{1,16384}$";
const grant = TypeCompiler.Compile(
  Type.Object({ access_token: Type.String({ pattern: TOKEN }), expires_in: Type.Optional(Type.Number({ minimum: 0 })) }),
);
const GRANTED: ReadToken = (body) =>
  grant.Check(body) ? { text: body.access_token, lifeSec: Math.min(body.expires_in ?? LIFE_SEC, LIFE_SEC) } : undefined;

const generated = TypeCompiler.Compile(Type.Object({ accessToken: Type.String({ pattern: TOKEN }), expireTime: Type.String() }));
/** Of the service that gives tokens of service accounts. */
export const GENERATED: ReadToken = (body, nowMs) => {
  if (!generated.Check(body)) return undefined;
  const lifeSec = (Date.parse(body.expireTime) - nowMs) / 1000;
  return { text: body.accessToken, lifeSec: Math.min(Math.max(lifeSec || 0, 0), LIFE_SEC) };
};

const noToken = (host: string): never => {
  throw new GatewayError("UPSTREAM_INVALID", { provider: PROVIDER, why: `the token endpoint ${host} sent no token` });
};

/** An account that is refused is the request's fault; an endpoint that is overloaded or broken may be asked again. */
function refused(status: number, body: Json, host: string): UpstreamFailure {
  const isBusy = status === 429 || (status >= 500 && status < 600);
  const { error, error_description: description } = body;
  const said = isJson(error) ? [error["status"], error["message"]] : [error, description];
  const why = said.filter((word) => typeof word === "string").join(": ") || `status ${status}`;
  const message = `The token endpoint ${host} gave no token for the ${host.startsWith("oauth2") ? "service account" : "identity"}: ${why.slice(0, 500)}`;
  return new UpstreamFailure(isBusy ? status : 401, {
    message,
    type: isBusy ? "api_error" : "authentication_error",
    param: null,
    code: null,
  });
}

function parsed(text: string): Json {
  try {
    const body: unknown = JSON.parse(text);
    return isJson(body) ? body : {};
  } catch {
    return {}; // an answer that is no JSON holds no token, which the caller says
  }
}

/** Its endpoint is the caller's choice: it must not fill the memory. */
async function shortText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ANSWER) throw new GatewayError("UPSTREAM_INVALID", { provider: PROVIDER, why: "its token is too large" });
  }
  return text;
}

const unreachable = (host: string, why: string): GatewayError =>
  new GatewayError("UPSTREAM_UNREACHABLE", { provider: PROVIDER, why: `of the token endpoint ${host}, ${why}` });
/** Network failures name the plugin; who asked for a model is told of the provider and of which of its hosts. */
const named = (thrown: unknown, host: string): unknown =>
  GatewayError.is(thrown) && thrown.code === "UPSTREAM_UNREACHABLE" ? unreachable(host, String(thrown.details["why"])) : thrown;
