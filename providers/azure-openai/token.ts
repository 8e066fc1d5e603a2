import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { GatewayError, type Handles, type HostBase, isJson, UpstreamFailure } from "#contract";

/** Somebody who may have tokens from Entra, and how they prove it. */
export interface Identity {
  readonly tenant: string;
  readonly clientId: string;
  readonly scope: string;
  readonly proof: { readonly kind: "secret"; readonly secret: string } | { readonly kind: "assertion"; readonly file: string };
}
export interface TokenOptions {
  readonly authorityHost: string;
  /** Milliseconds until the token service must have answered. */
  readonly timeoutMs?: number;
}
type Host = Pick<Handles, "fetch"> & Pick<HostBase, "now">;

interface Kept {
  readonly token: Promise<string>;
  /** Milliseconds since the epoch; a token on its way is fresh for everybody who asks. */
  freshUntil: number;
}
/** Callers may bring identities of their own. */
const MAX_KEPT = 1_000;
/** A token is renewed this long before it expires, or after half of a short life. */
const MARGIN_MS = 5 * 60_000;
const TIMEOUT_MS = 10_000;

/**
 * Fetches tokens (client credentials) and keeps each until shortly before it expires; whoever asks for the same one
 * meanwhile waits for the same answer. Throws UpstreamFailure when Entra refuses, UPSTREAM_UNREACHABLE when it is away.
 */
export function tokenSource(host: Host, options: TokenOptions): (identity: Identity) => Promise<string> {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  return (identity) => {
    const key = keyOf(identity);
    const cached = kept.get(key);
    if (cached && cached.freshUntil > host.now()) return cached.token;
    const answer = fetched(identity, host, options);
    const entry: Kept = { token: answer.then(({ token }) => token), freshUntil: Number.POSITIVE_INFINITY };
    answer.then(
      ({ lifeMs }) => void (entry.freshUntil = host.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2)),
      () => void (kept.peek(key) === entry && kept.delete(key)), // a refusal is told to who asked, and not kept
    );
    kept.set(key, entry);
    return entry.token;
  };
}

/** By everything that makes it this identity, its proof included: who does not know the secret gets no token. */
const keyOf = (identity: Identity): string => createHash("sha256").update(JSON.stringify(identity)).digest("base64");

interface Granted {
  readonly token: string;
  readonly lifeMs: number;
}

async function fetched(identity: Identity, host: Host, { authorityHost, timeoutMs = TIMEOUT_MS }: TokenOptions): Promise<Granted> {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(late(timeoutMs)), timeoutMs);
  try {
    const response = await host.fetch(`${authorityHost.replace(/\/$/, "")}/${identity.tenant}/oauth2/v2.0/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(await formOf(identity)).toString(),
      signal: cut.signal,
    });
    return granted(response.status, await response.json().catch(() => undefined)); // a body that is no JSON grants nothing
  } finally {
    clearTimeout(timer);
  }
}

async function formOf({ clientId, scope, proof }: Identity): Promise<Record<string, string>> {
  const form = { grant_type: "client_credentials", client_id: clientId, scope };
  if (proof.kind === "secret") return { ...form, client_secret: proof.secret };
  return { ...form, client_assertion_type: ASSERTION, client_assertion: (await assertionIn(proof.file)).trim() };
}
const ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Read anew each time: the platform replaces the file before its token expires. */
const assertionIn = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((cause: unknown) => {
    throw new GatewayError(
      "PROVIDER_UNAVAILABLE",
      { provider: "azure-openai", why: "the file that AZURE_FEDERATED_TOKEN_FILE names cannot be read" },
      { cause },
    );
  });

function granted(status: number, body: unknown): Granted {
  const answer = isJson(body) ? body : {};
  const { access_token: token, expires_in: lifeSec } = answer;
  if (status === 200 && typeof token === "string" && token !== "") return { token, lifeMs: Math.max(0, Number(lifeSec) || 0) * 1000 };
  const description = typeof answer["error_description"] === "string" ? answer["error_description"] : `status ${status}`;
  throw refused(status, description.split("\n")[0]?.slice(0, 300) ?? "");
}

/** What is wrong with a credential is told as such; an outage keeps its status, so that it can be tried again. */
function refused(status: number, description: string): UpstreamFailure {
  const away = status === 429 || status >= 500;
  const credential = status >= 400 && !away;
  return new UpstreamFailure(credential ? 401 : away ? status : 502, {
    message: `no token from Microsoft Entra: ${description.trim()}`,
    type: credential ? "authentication_error" : "api_error",
    param: null,
    code: "entra_token",
  });
}

const late = (timeoutMs: number): GatewayError =>
  new GatewayError("UPSTREAM_UNREACHABLE", { provider: "azure-openai", why: `Microsoft Entra did not answer within ${timeoutMs} ms` });
