import { expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSecretManager, type Json } from "#contract";
import { parseManifests } from "../../../core/kernel/discovery/manifest.ts";
import { atWork } from "../../../tests/kit/set-up.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json" with { type: "json" };

const tokenFile = join(mkdtempSync(join(tmpdir(), "aws-")), "token");
writeFileSync(tokenFile, "pod-jwt\n");
const OWN = {
  accessKeyId: "AKIDOWN",
  secretAccessKey: "own-secret",
  serviceRoleArn: "arn:aws:iam::1:role/own",
  serviceTokenFile: tokenFile,
  region: "eu-west-1",
};

interface Asked {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}
/** Services that answer in order, and what they were asked. */
async function aws(config: Json, ...answers: readonly Response[]) {
  const asked: Asked[] = [];
  const left = [...answers];
  const at = await atWork({
    plugin,
    manifest: parseManifests(manifest, "manifest.json")[0] ?? expect.unreachable(),
    config,
    host: {
      fetch: async (request) => {
        asked.push({ url: `${request.method} ${request.url}`, headers: request.headers, body: await request.text() });
        return left.shift() ?? expect.unreachable();
      },
    },
  });
  const manager = isSecretManager(at.provides) ? at.provides : expect.unreachable();
  const read = (auth: Json, key: string | null = null) =>
    manager.read({ organisationId: "org", auth, path: "prod/openai", key }, new AbortController().signal);
  return { read, asked, clock: at.clock };
}
const KEY = { aws_auth_type: "accessKey", aws_access_key_id: "AKID", aws_secret_access_key: "the-secret", aws_region: "us-east-1" };
const ROLE = { aws_auth_type: "assumedRole", aws_role_arn: "arn:aws:iam::2:role/theirs", aws_external_id: "ext", aws_region: "us-east-1" };
const secret = (SecretString: string) => Response.json({ Name: "prod/openai", SecretString });
const session = (id: string) =>
  new Response(
    `<R><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></Credentials></R>`,
  );

/** The signature as AWS itself makes it, of the headers that the request says are signed. */
function signatureOf({ headers, body }: Asked, host: string, secretKey: string, service: string): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const canonical = names.split(";").map((name) => `${name}:${name === "host" ? host : headers.get(name)}\n`);
  const hash = createHash("sha256").update(body).digest("hex");
  const request = ["POST", "/", "", canonical.join(""), names, hash].join("\n");
  const scope = ["20260101", "us-east-1", service, "aws4_request"];
  const text = ["AWS4-HMAC-SHA256", "20260101T000000Z", scope.join("/"), createHash("sha256").update(request).digest("hex")].join("\n");
  const key = scope.reduce<string | Buffer>((by, part) => createHmac("sha256", by).update(part).digest(), `AWS4${secretKey}`);
  return createHmac("sha256", key).update(text).digest("hex");
}

test(verifies("A.managers.aws", "an access key signs the one request that a secret takes"), async () => {
  const { read, asked } = await aws({}, secret("the-value"));
  expect(await read(KEY)).toEqual({ value: "the-value" });
  const [sent = expect.unreachable()] = asked;
  expect([sent.url, sent.body]).toEqual(["POST https://secretsmanager.us-east-1.amazonaws.com/", '{"SecretId":"prod/openai"}']);
  expect(sent.headers.get("x-amz-target")).toBe("secretsmanager.GetSecretValue");
  expect(sent.headers.get("content-type")).toBe("application/x-amz-json-1.1");
  const signature = signatureOf(sent, "secretsmanager.us-east-1.amazonaws.com", "the-secret", "secretsmanager");
  expect(sent.headers.get("authorization")).toBe(
    `AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/secretsmanager/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-target, Signature=${signature}`,
  );
});
test("a member is taken out of a secret that is JSON", async () => {
  const { read } = await aws({}, secret('{"a":"one","b":2}'), secret('{"a":"one"}'), secret("plain"));
  expect(await read(KEY, "a")).toEqual({ value: "one" });
  expect(await read(KEY, "absent")).toMatchObject({ missing: expect.stringContaining("absent") });
  expect(await read(KEY, "a")).toMatchObject({ missing: expect.stringContaining("no JSON object") });
});
test("a role is assumed with its external id, once until its session is about to end", async () => {
  const { read, asked, clock } = await aws(OWN, session("ASIA1"), secret("a"), secret("b"), session("ASIA2"), secret("c"));
  await read(ROLE);
  await read(ROLE);
  clock.now += 59 * 60_000;
  await read(ROLE);
  expect(asked[0]).toMatchObject({
    url: "POST https://sts.us-east-1.amazonaws.com/",
    body: "Version=2011-06-15&RoleSessionName=gateway&Action=AssumeRole&RoleArn=arn%3Aaws%3Aiam%3A%3A2%3Arole%2Ftheirs&ExternalId=ext",
  });
  const signers = asked.map(({ headers }) => /Credential=(\w+)/.exec(headers.get("authorization") ?? "")?.[1]);
  expect(signers).toEqual(["AKIDOWN", "ASIA1", "ASIA1", "AKIDOWN", "ASIA2"]);
  expect(asked[1]?.headers.get("x-amz-security-token")).toBe("session");
});
test("the service role is the gateway's own, by the token of its service account, in the gateway's region", async () => {
  const { read, asked } = await aws(OWN, session("ASIA1"), secret("a"));
  expect(await read({ aws_auth_type: "serviceRole" })).toEqual({ value: "a" });
  expect(asked[0]).toMatchObject({
    url: "POST https://sts.eu-west-1.amazonaws.com/",
    body: "Version=2011-06-15&RoleSessionName=gateway&Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fown&WebIdentityToken=pod-jwt",
  });
  expect(asked[0]?.headers.has("authorization")).toBe(false);
});
test("a gateway without an identity of its own says what to set", async () => {
  const { read } = await aws({});
  expect(await read(ROLE)).toMatchObject({ missing: expect.stringContaining("AWS_ASSUME_ROLE_ACCESS_KEY_ID") });
  expect(await read({ ...KEY, aws_auth_type: "serviceRole" })).toMatchObject({ missing: expect.stringContaining("AWS_ROLE_ARN") });
});
test("what AWS says no to is missing, and what it cannot say is thrown", async () => {
  const says = (status: number, type: string) => Response.json({ __type: type, message: "the-secret" }, { status });
  const { read } = await aws(
    {},
    says(400, "ResourceNotFoundException"),
    says(400, "com.amazon#AccessDeniedException"),
    says(400, "ThrottlingException"),
  );
  expect(await read(KEY)).toEqual({ missing: "AWS says ResourceNotFoundException" });
  expect(await read(KEY)).toEqual({ missing: "AWS says AccessDeniedException" });
  await expect(read(KEY)).rejects.toThrow("AWS answered 400 ThrottlingException");
});
