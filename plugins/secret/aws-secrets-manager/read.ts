import { Buffer } from "node:buffer";
import { isJson, type Json, type ManagedSecret, memberOfText, type SecretManager } from "#contract";
import type { AccessKeys } from "./access-keys.ts";
import { askAws, type AwsParts } from "./ask.ts";
import type { AwsAuth } from "./auth.ts";

const HEADERS = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" };
type Read = ManagedSecret | { readonly missing: string };

/** Reads of secrets by name or ARN. */
export function reader(parts: AwsParts, keys: AccessKeys): SecretManager["read"] {
  return async ({ auth, path, key: member }, signal) => {
    const as = auth as unknown as AwsAuth; // the manager's own schema accepted it when it was saved
    const region = as.aws_region ?? parts.config.region;
    if (!/^[a-z0-9-]+$/.test(region)) return { missing: "neither its sign-in nor the gateway names a region" };
    const key = await keys(as, region, signal);
    if ("refused" in key) return { missing: key.refused };
    const body = JSON.stringify({ SecretId: path });
    const answer = await askAws(parts, { service: "secretsmanager", region, headers: HEADERS, body, key }, signal);
    const json: unknown = await answer.json().catch(() => undefined);
    return valueIn(answer.status, isJson(json) ? json : {}, member);
  };
}

/** Errors by which AWS says no; others say that it cannot say. */
const SAYS_NO: ReadonlySet<string> = new Set([
  "ResourceNotFoundException",
  "AccessDeniedException",
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "InvalidRequestException",
  "InvalidParameterException",
  "ValidationException",
  "DecryptionFailure",
]);

function valueIn(status: number, body: Json, member: string | null): Read {
  if (status === 200) return secretIn(body, member);
  const type =
    String(body["__type"] ?? "")
      .split("#")
      .at(-1) ?? "";
  if (SAYS_NO.has(type)) return { missing: `AWS says ${type}` };
  throw new Error(`AWS answered ${status} ${type.slice(0, 80)}`);
}

function secretIn({ SecretString: text, SecretBinary: binary }: Json, member: string | null): Read {
  const value = typeof text === "string" ? text : typeof binary === "string" ? Buffer.from(binary, "base64").toString("utf8") : undefined;
  if (value === undefined) throw new Error("AWS answered without a secret");
  return memberOfText(value, member);
}
