import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { CheckFault, type Handles, type HostBase } from "#contract";
import type { Account } from "./credentials.ts";
import { type AccessKey, signed } from "./sign.ts";

export type Host = Pick<Handles, "fetch" | "secrets"> & Pick<HostBase, "now">;

/** A role's key lives an hour at least; a role whose trust was taken away is noticed after this. */
const KEPT_MS = 300_000;
const MAX_KEPT = 1_000;
const PATIENCE_MS = 10_000;

/** Makes the function that gives the key by which an account's requests are signed; keys of roles are kept for five minutes. */
export function keysOf(host: Host): (account: Account) => Promise<AccessKey> {
  const kept = new LRUCache<string, { readonly key: Promise<AccessKey>; readonly until: number }>({ max: MAX_KEPT });
  return async (account) => {
    const own = accessKeyIn(account);
    if (account.awsAuthType !== "assumedRole") return own ?? missing("awsAccessKeyId and awsSecretAccessKey");
    if (account.awsRoleArn === undefined) return missing("awsRoleArn");
    const name = createHash("sha256").update(JSON.stringify(account)).digest("base64");
    const known = kept.get(name);
    if (known && known.until > host.now()) return known.key;
    const key = assumed(host, account, account.awsRoleArn, own ?? (await gatewaysKey(host)));
    kept.set(name, { key, until: host.now() + KEPT_MS });
    key.catch(() => kept.delete(name)); // the next request asks again; this one gets the failure
    return key;
  };
}

const missing = (members: string): never => {
  throw new CheckFault("auth", `partner_f.guard: the credentials lack ${members}`);
};

function accessKeyIn({ awsAccessKeyId: id, awsSecretAccessKey: secret, awsSessionToken }: Account): AccessKey | undefined {
  return id === undefined || secret === undefined ? undefined : { id, secret, sessionToken: awsSessionToken ?? null };
}

/** The gateway's own, for roles that trust it. */
async function gatewaysKey({ secrets }: Host): Promise<AccessKey> {
  const [id, secret] = await Promise.all([
    secrets.read("AWS_ASSUME_ROLE_ACCESS_KEY_ID"),
    secrets.read("AWS_ASSUME_ROLE_SECRET_ACCESS_KEY"),
  ]);
  return { id, secret, sessionToken: null };
}

async function assumed(host: Host, { awsRegion: region, awsExternalId }: Account, arn: string, as: AccessKey): Promise<AccessKey> {
  const query = new URLSearchParams({ Action: "AssumeRole", Version: "2011-06-15", RoleArn: arn, RoleSessionName: "ai-gateway" });
  if (awsExternalId !== undefined) query.set("ExternalId", awsExternalId);
  const url = `https://sts.${region}.amazonaws.com/?${query}`;
  const headers = await signed({ method: "GET", url, body: "", service: "sts", region }, as, host.now());
  const response = await host.fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await response.text();
  if (!response.ok)
    throw new CheckFault(
      response.status < 500 ? "auth" : "unavailable",
      `partner_f.guard: assuming the role ${arn} was answered ${response.status}`,
    );
  const [id, secret, sessionToken] = [element("AccessKeyId", text), element("SecretAccessKey", text), element("SessionToken", text)];
  if (id && secret && sessionToken) return { id, secret, sessionToken };
  throw new CheckFault("malformed", `partner_f.guard: assuming the role ${arn} gave no credentials`);
}
/** The text of an element that occurs once; keys hold nothing that XML would escape. */
const element = (name: string, xml: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]?.trim();
