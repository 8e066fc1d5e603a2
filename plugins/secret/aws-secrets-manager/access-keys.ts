import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { type AccessKey, askAws, type AwsParts } from "./ask.ts";
import type { AwsAuth } from "./auth.ts";

/** The key that a reference is read with; a refusal is a sentence. */
export type AccessKeys = (auth: AwsAuth, region: string, signal: AbortSignal) => Promise<AccessKey | { readonly refused: string }>;
interface Held extends AccessKey {
  /** Milliseconds since the epoch. */
  readonly until: number;
}
const MAX_HELD = 1_000;
/** A session is used no more when it ends within this time. */
const MARGIN_MS = 60_000;

export function accessKeys(parts: AwsParts): AccessKeys {
  const held = new LRUCache<string, Held>({ max: MAX_HELD });
  return async (auth, region, signal) => {
    if (auth.aws_auth_type === "accessKey") return { id: auth.aws_access_key_id, secret: auth.aws_secret_access_key };
    const name = createHash("sha256")
      .update(JSON.stringify([auth, region]))
      .digest("hex");
    const known = held.get(name);
    if (known && parts.now() < known.until - MARGIN_MS) return known;
    const session = await newSession(auth, region, parts, signal);
    if (!("refused" in session)) held.set(name, session);
    return session;
  };
}

type RoleAuth = Exclude<AwsAuth, { aws_auth_type: "accessKey" }>;

async function newSession(
  auth: RoleAuth,
  region: string,
  parts: AwsParts,
  signal: AbortSignal,
): Promise<Held | { readonly refused: string }> {
  const question = await sessionQuestion(auth, parts);
  if ("refused" in question) return question;
  const body = new URLSearchParams({ Version: "2011-06-15", RoleSessionName: "gateway", ...question.asks }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await askAws(parts, { service: "sts", region, headers, body, key: question.key }, signal);
  const text = await answer.text();
  if (answer.status === 400 || answer.status === 403) return { refused: `the role was not given (${answer.status})` };
  const [id, secret, sessionToken, ends] = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"].map((tag) => within(text, tag));
  if (!id || !secret || !sessionToken || !ends) throw new Error(`AWS answered a sign-in with ${answer.status} and no key`);
  return { id, secret, sessionToken, until: Date.parse(ends) };
}

interface SessionQuestion {
  readonly asks: Readonly<Record<string, string>>;
  readonly key: AccessKey | undefined;
}
async function sessionQuestion(auth: RoleAuth, { config }: AwsParts): Promise<SessionQuestion | { readonly refused: string }> {
  if (auth.aws_auth_type === "assumedRole") {
    const { accessKeyId: id, secretAccessKey: secret } = config;
    if (id === "" || secret === "") return { refused: "the gateway has no key to assume roles with: set AWS_ASSUME_ROLE_ACCESS_KEY_ID" };
    const external = auth.aws_external_id === undefined ? {} : { ExternalId: auth.aws_external_id };
    return { asks: { Action: "AssumeRole", RoleArn: auth.aws_role_arn, ...external }, key: { id, secret } };
  }
  const { serviceRoleArn, serviceTokenFile } = config;
  if (serviceRoleArn === "" || serviceTokenFile === "")
    return { refused: "the gateway has no role of its own: set AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE" };
  const WebIdentityToken = (await readFile(serviceTokenFile, "utf8")).trim();
  return { asks: { Action: "AssumeRoleWithWebIdentity", RoleArn: serviceRoleArn, WebIdentityToken }, key: undefined };
}

/** The text of the first element of this name; none of those that are asked for holds an entity. */
const within = (xml: string, tag: string): string | undefined => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
