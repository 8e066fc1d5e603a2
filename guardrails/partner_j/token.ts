import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { CheckFault, type Handles, type HostBase, isJson } from "#contract";

export type Host = Pick<Handles, "fetch"> & Pick<HostBase, "now">;

/** An application that may have tokens. */
export interface Application {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
/** A token is renewed this long before it expires, or after half of a short life. */
const MARGIN_MS = 300_000;
const PATIENCE_MS = 10_000;
const MAX_KEPT = 1_000;

/** Makes the function that gives an application's token; each is kept until shortly before it expires. */
export function tokens(host: Host): (application: Application) => Promise<string> {
  const kept = new LRUCache<string, { readonly token: string; readonly freshUntil: number }>({ max: MAX_KEPT });
  return async (application) => {
    const name = createHash("sha256").update(JSON.stringify(application)).digest("base64"); // its secret too: who does not know it gets no token
    const known = kept.get(name);
    if (known && known.freshUntil > host.now()) return known.token;
    const { token, lifeMs } = await granted(application, host);
    kept.set(name, { token, freshUntil: host.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) });
    return token;
  };
}

async function granted(
  { tenantId, clientId, clientSecret }: Application,
  host: Host,
): Promise<{ readonly token: string; readonly lifeMs: number }> {
  const form = {
    client_id: clientId,
    client_secret: clientSecret,
    scope: "https://cognitiveservices.azure.com/.default",
    grant_type: "client_credentials",
  };
  const response = await host.fetch(`https://login.microsoftonline.com/${tenantId}/oauth2/v2.0/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(form).toString(),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined); // what is no JSON grants nothing
  const { access_token: token, expires_in: lifeSec } = isJson(answer) ? answer : {};
  if (response.ok && typeof token === "string" && token !== "") return { token, lifeMs: Math.max(0, Number(lifeSec) || 0) * 1000 };
  const away = response.status === 429 || response.status >= 500;
  throw new CheckFault(away ? "unavailable" : "auth", `partner_j: the application was given no token (${response.status})`);
}
