import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { testPack } from "../../tests/kit/check.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import type { Account } from "./credentials.ts";
import { keysOf } from "./keys.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";
import { type AccessKey, signed } from "./sign.ts";

await testPack(pack, manifest);

const KEY: AccessKey = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: "token" };
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const hex = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

test(verifies("G.partners.signed", "partner_f signs path, headers and body as AWS documents it"), async () => {
  const body = '{"source":"INPUT"}';
  const url = "https://bedrock-runtime.eu-west-1.amazonaws.com/guardrail/gr1/version/DRAFT/apply";
  const headers = await signed({ method: "POST", url, body, service: "bedrock", region: "eu-west-1" }, KEY, NOW);
  const names = ["host", "x-amz-date", "x-amz-security-token"];
  const values: Readonly<Record<string, string>> = {
    host: new URL(url).host,
    "x-amz-date": "20260102T030405Z",
    "x-amz-security-token": "token",
  };
  expect(headers).toMatchObject({ "x-amz-date": "20260102T030405Z", "x-amz-security-token": "token" });
  const canonical = [
    "POST",
    new URL(url).pathname,
    "",
    ...names.map((name) => `${name}:${values[name]}`),
    "",
    names.join(";"),
    hex(body),
  ].join("\n");
  const scope = "20260102/eu-west-1/bedrock/aws4_request";
  const key = ["20260102", "eu-west-1", "bedrock", "aws4_request"].reduce<string | Buffer>(
    (from, part) => hmac(from, part),
    `AWS4${KEY.secret}`,
  );
  const signature = hmac(key, `AWS4-HMAC-SHA256\n20260102T030405Z\n${scope}\n${hex(canonical)}`).toString("hex");
  expect(headers["authorization"]).toBe(
    `AWS4-HMAC-SHA256 Credential=${KEY.id}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  );
});

describe("an assumed role", () => {
  const XML =
    "<AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></Credentials></AssumeRoleResult>";
  const account: Account = {
    awsAuthType: "assumedRole",
    awsRegion: "eu-west-1",
    awsRoleArn: "arn:aws:iam::1:role/guard",
    awsExternalId: "ours",
  };
  const setting = (answer: () => Response, secrets: Readonly<Record<string, string>> = {}) => {
    const state = { now: NOW, asked: [] as string[] };
    const keyOf = keysOf({
      fetch: async (url, init) => {
        state.asked.push(`${url} ${new Headers(init?.headers).get("authorization")?.split("/")[0]}`);
        return answer();
      },
      secrets: { read: async (name) => secrets[name] ?? "" },
      now: () => state.now,
    });
    return { state, keyOf };
  };
  test("is assumed with the account's own key, and its key kept for five minutes", async () => {
    const { state, keyOf } = setting(() => new Response(XML));
    const own = { ...account, awsAccessKeyId: "AKID", awsSecretAccessKey: "secret" };
    expect(await keyOf(own)).toEqual({ id: "ASIA", secret: "s", sessionToken: "t" });
    await keyOf(own);
    expect(state.asked).toEqual([
      "https://sts.eu-west-1.amazonaws.com/?Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fguard&RoleSessionName=ai-gateway&ExternalId=ours AWS4-HMAC-SHA256 Credential=AKID",
    ]);
    state.now += 300_001;
    await keyOf(own);
    expect(state.asked).toHaveLength(2);
  });
  test("is assumed with the gateway's key where the account has none", async () => {
    const { state, keyOf } = setting(() => new Response(XML), {
      AWS_ASSUME_ROLE_ACCESS_KEY_ID: "OURS",
      AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: "x",
    });
    await keyOf(account);
    expect(state.asked[0]).toEndWith("Credential=OURS");
  });
  test.each([
    [403, "auth"],
    [503, "unavailable"],
  ])("that is refused with %d is an error of class %s, and asked for again", async (status, errorClass) => {
    const { state, keyOf } = setting(() => new Response("<Error/>", { status }));
    const own = { ...account, awsAccessKeyId: "AKID", awsSecretAccessKey: "secret" };
    await expect(keyOf(own)).rejects.toMatchObject({ errorClass });
    await expect(keyOf(own)).rejects.toMatchObject({ errorClass });
    expect(state.asked).toHaveLength(2);
  });
  test("and an access key that is not complete are errors of class auth", async () => {
    const { keyOf } = setting(() => new Response(XML));
    await expect(keyOf({ awsRegion: "eu-west-1", awsAccessKeyId: "AKID" })).rejects.toMatchObject({ errorClass: "auth" });
    await expect(keyOf({ awsRegion: "eu-west-1", awsAuthType: "assumedRole" })).rejects.toMatchObject({ errorClass: "auth" });
  });
});
