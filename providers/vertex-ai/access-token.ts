import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { importPKCS8, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { GatewayError, type Handles, isJson, type Json, UpstreamFailure } from "#contract";
import type { ServiceAccount } from "./service-account.ts";
import { incomplete, PROVIDER } from "./target.ts";

const GOOGLE = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFE_SEC = 3600;
/** Share of its life for which a token is used: of an hour, 50 minutes. */
const KEPT = 5 / 6;
const MOST_KEPT = 1_000;
const PATIENCE_MS = 10_000;
const MAX_ANSWER = 65_536;

interface Outside {
  readonly fetch: Handles["fetch"];
  now(): number;
}
interface Kept {
  readonly token: Promise<string>;
  /** Milliseconds since the epoch. */
  staleAt: number;
}
interface Token {
  readonly text: string;
  readonly lifeSec: number;
}

/**
 * Access tokens of service accounts: a signed assertion is exchanged at the account's token endpoint (RFC 7523). Each
 * is kept for five sixths of its life, and asked for once however many requests wait for it; failures are not kept.
 *
 * A token endpoint that is away is UPSTREAM_UNREACHABLE, one that refuses the account an authentication failure.
 */
export function accessTokens(outside: Outside, patienceMs = PATIENCE_MS): (account: ServiceAccount) => Promise<string> {
  const tokens = new LRUCache<string, Kept>({ max: MOST_KEPT });
  return (account) => {
    const id = identity(account);
    const kept = tokens.get(id);
    if (kept && outside.now() < kept.staleAt) return kept.token;
    const fresh = renewed(account, outside, patienceMs);
    tokens.set(id, fresh);
    fresh.token.catch(() => tokens.peek(id) === fresh && tokens.delete(id));
    return fresh.token;
  };
}

function renewed(account: ServiceAccount, outside: Outside, patienceMs: number): Kept {
  const askedAt = outside.now();
  const settled = ({ text, lifeSec }: Token): string => {
    kept.staleAt = askedAt + lifeSec * KEPT * 1000;
    return text;
  };
  const kept: Kept = { token: exchanged(account, outside, patienceMs).then(settled), staleAt: Number.POSITIVE_INFINITY };
  return kept;
}

/** The private key is part of it: who knows an account's names only must not be given its token. */
const identity = ({ client_email, private_key, private_key_id = "", token_uri = "" }: ServiceAccount): string =>
  createHash("sha256")
    .update(JSON.stringify([client_email, private_key, private_key_id, token_uri]))
    .digest("base64");

async function exchanged(account: ServiceAccount, outside: Outside, patienceMs: number): Promise<Token> {
  const url = tokenUrl(account);
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: await assertion(account, url.href, outside.now()) };
  const deadline = AbortSignal.timeout(patienceMs);
  try {
    const response = await outside.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      signal: deadline,
    });
    return tokenIn(response.status, await shortText(response), url.host);
  } catch (thrown) {
    throw deadline.aborted ? unreachable(url.host, `it did not answer within ${patienceMs} ms`) : named(thrown, url.host);
  }
}

/** Whoever gives a key file chooses this address: egress keeps it off private hosts, and plain http to this very machine. */
function tokenUrl({ token_uri = GOOGLE }: ServiceAccount): URL {
  const url = URL.canParse(token_uri) ? new URL(token_uri) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!url || !isSafe) throw incomplete("vertex_service_account_json", "has a token_uri that is not an https address");
  return url;
}
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

async function assertion(account: ServiceAccount, audience: string, nowMs: number): Promise<string> {
  try {
    return await signed(account, audience, Math.floor(nowMs / 1000));
  } catch {
    const why = "has a private_key that is not an RSA key of 2048 bits or more in PKCS #8 PEM form";
    throw incomplete("vertex_service_account_json", why); // the cause may hold parts of the key
  }
}
async function signed(account: ServiceAccount, audience: string, issuedAt: number): Promise<string> {
  const { client_email: email, private_key_id: kid } = account;
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(kid !== undefined && { kid }) })
    .setIssuer(email)
    .setSubject(email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_SEC)
    .sign(await importPKCS8(account.private_key, "RS256"));
}

/* ── what the endpoint answers ───────────────────────────────────────────────────────────────────────────────── */

const answer = TypeCompiler.Compile(
  Type.Object({
    access_token: Type.String({ pattern: "^[\\x21-\\x7e]{1,16384}$" }),
    expires_in: Type.Optional(Type.Number({ minimum: 0 })),
  }),
);

function tokenIn(status: number, text: string, host: string): Token {
  const body = parsed(text);
  if (status !== 200) throw refused(status, body, host);
  if (!answer.Check(body))
    throw new GatewayError("UPSTREAM_INVALID", { provider: PROVIDER, why: `the token endpoint ${host} sent no token` });
  return { text: body.access_token, lifeSec: Math.min(body.expires_in ?? LIFE_SEC, LIFE_SEC) };
}

/** An account that is refused is the request's fault; an endpoint that is overloaded or broken may be asked again. */
function refused(status: number, body: Json, host: string): UpstreamFailure {
  const isBusy = status === 429 || (status >= 500 && status < 600);
  const { error, error_description: description } = body;
  const why = [error, description].filter((word) => typeof word === "string").join(": ") || `status ${status}`;
  const message = `The token endpoint ${host} gave no token for the service account: ${why.slice(0, 500)}`;
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
