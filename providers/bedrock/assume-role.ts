import { Buffer } from "node:buffer";
import { LRUCache } from "lru-cache";
import { type Handles, type Logger, UpstreamFailure } from "#contract";
import type { AccessKey } from "./auth.ts";
import type { Sign } from "./sign.ts";

export interface Role {
  readonly arn: string;
  readonly externalId: string | null;
}
/** Temporary access keys of a role, for whoever may assume it. */
export type AssumeRole = (role: Role, as: AccessKey, region: string) => Promise<AccessKey>;

export interface Parts {
  readonly fetch: Handles["fetch"];
  readonly sign: Sign;
  readonly log: Logger;
  now(): number;
  /** `amazonaws.com` */
  readonly domain: string;
}
interface Kept {
  readonly key: Promise<AccessKey>;
  readonly until: number;
}

/** A role's key lives an hour at least; a role whose trust was taken away is noticed after this. */
const KEPT_MS = 300_000;
const MAX_KEPT = 1_000;
export const PATIENCE_MS = 10_000;

/**
 * AssumeRole of AWS's Security Token Service, answers kept for five minutes. Throws UpstreamFailure with the service's
 * status when it refuses.
 */
export function roles(parts: Parts): AssumeRole {
  const keep = keyKeeper(parts.now);
  return (role, as, region) => keep([role.arn, role.externalId, region, as], () => assumed(role, as, region, parts));
}

/** Keeps the keys that are asked for, by all that they are asked for with. */
export function keyKeeper(now: () => number): (asked: unknown, ask: () => Promise<AccessKey>) => Promise<AccessKey> {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  return async (asked, ask) => {
    const name = await digest(asked);
    const cached = kept.get(name);
    if (cached !== undefined && cached.until > now()) return cached.key;
    const key = ask();
    kept.set(name, { key, until: now() + KEPT_MS });
    key.catch(() => kept.delete(name)); // the next request asks again; this one's caller gets the failure
    return key;
  };
}
/** The whole key is part of it: knowing its id alone must not open what its secret did. */
const digest = async (identity: unknown): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(identity)))).toString("base64");

async function assumed(role: Role, as: AccessKey, region: string, parts: Parts): Promise<AccessKey> {
  const bare = { method: "GET", url: addressOf(role, region, parts.domain), headers: new Headers(), body: null };
  const { url, headers } = await parts.sign(bare, as, { service: "sts", region });
  return answered(await parts.fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }), role, parts);
}

/** The key in an answer of the service. */
export async function answered(response: Response, role: Role, parts: Pick<Parts, "log">): Promise<AccessKey> {
  const text = await response.text();
  if (response.ok) return keyIn(text, role);
  const code = element("Code", text);
  parts.log("warn", "AWS refused to assume a role", { role: role.arn, code, message: element("Message", text) });
  throw refused(role, response.status, code ?? `status ${response.status}`, code);
}

function addressOf({ arn, externalId }: Role, region: string, domain: string): string {
  const query = new URLSearchParams({ Action: "AssumeRole", Version: "2011-06-15", RoleArn: arn, RoleSessionName: "ai-gateway" });
  if (externalId !== null) query.set("ExternalId", externalId);
  return `https://sts.${region}.${domain}/?${query}`;
}

function keyIn(xml: string, role: Role): AccessKey {
  const [id, secret, sessionToken] = [element("AccessKeyId", xml), element("SecretAccessKey", xml), element("SessionToken", xml)];
  if (id === null || secret === null || sessionToken === null) throw refused(role, 502, "its answer holds no credentials");
  return { id, secret, sessionToken };
}
/** The text of an element that occurs once; keys and codes hold nothing that XML would escape. */
const element = (name: string, xml: string): string | null => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]?.trim() ?? null;

/** AWS's own sentence names the gateway's identity; it is for the log. */
const refused = ({ arn }: Role, status: number, why: string, code: string | null = null): UpstreamFailure =>
  new UpstreamFailure(status, {
    message: `AWS did not let the gateway assume the role ${arn}: ${why}.`,
    type: status === 403 ? "permission_error" : "api_error",
    param: "aws_role_arn",
    code,
  });
