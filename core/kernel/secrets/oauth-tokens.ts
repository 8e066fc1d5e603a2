import { Buffer } from "node:buffer";
import { LRUCache } from "lru-cache";
import { isJson, type Json, type ManagedSecret, type MaybePromise, type OAuthClient } from "#contract";
import type { Egress } from "../../egress/egress.ts";
import { KeptSecrets, type KeptSecretsParts } from "./kept-secrets.ts";

/** An integration's client, and whose it is. */
export interface TokenOwner {
  readonly organisationId: string;
  readonly integrationId: string;
  /** What errors and logs call the integration. */
  readonly name: string;
  readonly client: OAuthClient;
}
/** Tokens of OAuth clients: fetched when one is needed, kept until shortly before they end. */
export interface OAuthTokens {
  /** At once where it is kept. Throws OAUTH_REFUSED, OAUTH_UNAVAILABLE. */
  token(owner: TokenOwner): MaybePromise<string>;
  /** Another one, in the place of one that was not accepted; the same where that one has just taken the place of another. */
  renewed(owner: TokenOwner, refused: string): MaybePromise<string>;
}

type Outside = Pick<KeptSecretsParts, "log" | "now"> & { readonly egress: Pick<Egress, "send"> };
const MANAGER = "oauth";
const PATIENCE_MS = 5_000;
const MAX_ANSWER = 256 * 1024;
/** Of a token whose endpoint does not say how long it lives. */
const LIFE_SEC = 300;
/** A provider that takes no token at all is told of that: a client's tokens are replaced no more often than this. */
const PAUSE_MS = 30_000;
const MAX_CLIENTS = 5_000;

export function oauthTokens({ egress, log, now }: Outside): OAuthTokens & Pick<KeptSecrets, "health"> {
  const read = async (auth: Json, signal: AbortSignal): Promise<ManagedSecret | { readonly missing: string }> =>
    granted(auth as unknown as OAuthClient, { egress, now, signal }); // as it was asked for below
  const kept = new KeptSecrets({
    managers: new Map([[MANAGER, { manager: MANAGER, auth: [], read: ({ auth }, signal) => read(auth, signal) }]]),
    log,
    now,
    keepMs: Number.POSITIVE_INFINITY, // each says itself how long it lives
    endsForGood: true,
    codes: { absent: "OAUTH_REFUSED", away: "OAUTH_UNAVAILABLE", why: () => "it could not be reached, or answered without a token" },
  });
  const wanted = ({ organisationId, integrationId, name, client }: TokenOwner) => {
    const { oauth_token_endpoint: endpoint, oauth_client_id: id, oauth_client_secret: secret, oauth_scope: scope } = client;
    const version = JSON.stringify([integrationId, endpoint, id, secret, scope]);
    return { id: version, reference: name, manager: MANAGER, organisationId, auth: client, path: "", key: null };
  };
  const mayRenewAt = new LRUCache<string, number>({ max: MAX_CLIENTS });
  return {
    token: (owner) => kept.read(wanted(owner)),
    renewed(owner, refused) {
      const asked = wanted(owner);
      if (!kept.holds(asked.id, refused)) return kept.read(asked);
      if (now() < (mayRenewAt.get(asked.id) ?? 0)) return refused;
      mayRenewAt.set(asked.id, now() + PAUSE_MS);
      kept.forget(asked.id);
      return kept.read(asked);
    },
    health: () => kept.health(),
  };
}

/* ── the token endpoint ──────────────────────────────────────────────────────────────────────────────────────── */

interface Asking {
  readonly egress: Pick<Egress, "send">;
  readonly signal: AbortSignal;
  now(): number;
}
/** With the secret in the form, as most endpoints take it; where that is no client to them, in the header that all must take. */
async function granted(client: OAuthClient, asking: Asking): Promise<ManagedSecret | { readonly missing: string }> {
  const inForm = await asked(client, { client_id: client.oauth_client_id, client_secret: client.oauth_client_secret }, {}, asking);
  const isUnknown = inForm.body["error"] === "invalid_client";
  const { status, body } = isUnknown ? await asked(client, {}, { authorization: basic(client) }, asking) : inForm;
  const { access_token: value, expires_in: life } = body;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { missing: refusalIn(status, body) };
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,65536}$/.test(value)) throw new Error(`it answered ${status} and no token`);
  return { value, expiresAt: asking.now() + (Number(life) > 0 ? Number(life) : LIFE_SEC) * 1000 };
}

async function asked(
  { oauth_token_endpoint: url, oauth_scope: scope }: OAuthClient,
  proof: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  { egress, signal }: Asking,
): Promise<{ readonly status: number; readonly body: Json }> {
  const form = { grant_type: "client_credentials", ...proof, ...(scope !== undefined && { scope }) };
  const answer = await egress.send({
    url,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json", ...headers },
    body: new URLSearchParams(form).toString(),
    signal,
    timeoutMs: PATIENCE_MS,
    caller: MANAGER,
    maxAnswer: MAX_ANSWER,
  });
  const body: unknown = await answer.json().catch(() => undefined);
  return { status: answer.status, body: isJson(body) ? body : {} };
}
/** RFC 6749, 2.3.1: both are written as forms write them first. */
const basic = ({ oauth_client_id: id, oauth_client_secret: secret }: OAuthClient): string =>
  `Basic ${Buffer.from(`${formed(id)}:${formed(secret)}`).toString("base64")}`;
const formed = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

const MAX_SAID = 300;
/** The endpoint's own word; its description may repeat what it was sent, which the log hides and errors take out. */
function refusalIn(status: number, { error }: Json): string {
  const said = typeof error === "string" && error !== "" ? `${error.slice(0, MAX_SAID)} (${status})` : `status ${status}`;
  return `it said ${said}`;
}
