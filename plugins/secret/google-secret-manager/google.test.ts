import { beforeAll, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { isSecretManager, type Json } from "#contract";
import { parseManifests } from "../../../core/kernel/discovery/manifest.ts";
import { atWork } from "../../../tests/kit/set-up.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { crc32c } from "./crc32c.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json" with { type: "json" };

const tokenFile = join(mkdtempSync(join(tmpdir(), "google-")), "token");
writeFileSync(tokenFile, "platform-jwt\n");
const AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/gateway";
const OWN = { wifAudience: AUDIENCE, wifTokenFile: tokenFile, wifProjects: "acme,1234" };
const PATH = "projects/acme/secrets/openai";
const AT = "GET https://secretmanager.googleapis.com/v1/projects/acme/secrets/openai/versions/";

let publicKey: CryptoKey;
let account: Json;
beforeAll(async () => {
  const pair = await generateKeyPair("RS256", { extractable: true });
  publicKey = pair.publicKey;
  const json = JSON.stringify({
    type: "service_account",
    client_email: "reader@acme.iam.gserviceaccount.com",
    private_key_id: "kid-1",
    private_key: await exportPKCS8(pair.privateKey),
    token_uri: "https://elsewhere.example/token",
  });
  account = { gcp_auth_type: "serviceAccount", gcp_service_account_json: json };
});

/** Google's hosts, which answer in order, and what they were asked. */
async function google(config: Json, ...answers: readonly (readonly [status: number, body: Json])[]) {
  const asked: string[] = [];
  const left = [...answers];
  const at = await atWork({
    plugin,
    manifest: parseManifests(manifest, "manifest.json")[0] ?? expect.unreachable(),
    config,
    host: {
      fetch: async (request) => {
        const told = request.headers.get("authorization") ?? "";
        asked.push([`${request.method} ${request.url}`, told, await request.text()].filter((line) => line !== "").join("\n"));
        const [status, body] = left.shift() ?? expect.unreachable();
        return Response.json(body, { status });
      },
    },
  });
  const manager = isSecretManager(at.provides) ? at.provides : expect.unreachable();
  const read = (auth: Json, path = PATH, key: string | null = null) =>
    manager.read({ organisationId: "org", auth, path, key }, new AbortController().signal);
  return { read, asked, clock: at.clock };
}
const token = (access_token: string): readonly [number, Json] => [200, { access_token, expires_in: 100, token_type: "Bearer" }];
function value(text: string): readonly [number, Json] {
  const bytes = Buffer.from(text);
  return [
    200,
    { name: "projects/1/secrets/openai/versions/3", payload: { data: bytes.toString("base64"), dataCrc32c: String(crc32c(bytes)) } },
  ];
}

test("a checksum is the one that the standard's own example has", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
});
test(verifies("A.managers.google", "a service account signs in once for the life of its token, at Google and nowhere else"), async () => {
  const { read, asked, clock } = await google({}, token("first"), value("a"), value("b"), token("second"), value("c"));
  expect(await read(account)).toEqual({ value: "a" });
  await read(account, `${PATH}/versions/7`);
  clock.now += 80_000;
  expect(await read(account)).toEqual({ value: "c" });
  expect([asked[1], asked[2], asked[4]]).toEqual([
    `${AT}latest:access\nBearer first`,
    `${AT}7:access\nBearer first`,
    `${AT}latest:access\nBearer second`,
  ]);
  const [line = "", form = ""] = asked[0]?.split("\n") ?? [];
  expect(line).toBe("POST https://oauth2.googleapis.com/token");
  const sent = new URLSearchParams(form);
  expect([...sent.keys()]).toEqual(["grant_type", "assertion"]);
  expect(sent.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
  const issued = clock.now / 1000 - 80;
  const { payload, protectedHeader } = await jwtVerify(sent.get("assertion") ?? "", publicKey, { currentDate: new Date(issued * 1000) });
  expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: "kid-1" });
  expect(payload).toEqual({
    iss: "reader@acme.iam.gserviceaccount.com",
    sub: "reader@acme.iam.gserviceaccount.com",
    aud: "https://oauth2.googleapis.com/token",
    scope: "https://www.googleapis.com/auth/cloud-platform",
    iat: issued,
    exp: issued + 3600,
  });
});
test("the gateway's own identity exchanges its platform's token, for a service account's where one is set", async () => {
  const until = "2026-01-01T00:01:40Z";
  const config = { ...OWN, wifServiceAccountEmail: "gateway@acme.iam.gserviceaccount.com" };
  const { read, asked } = await google(config, token("federated"), [200, { accessToken: "account", expireTime: until }], value("a"));
  expect(await read({ gcp_auth_type: "wif" })).toEqual({ value: "a" });
  const exchange = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: AUDIENCE,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: "platform-jwt",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  });
  expect(asked).toEqual([
    `POST https://sts.googleapis.com/v1/token\n${exchange}`,
    "POST https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/gateway%40acme.iam.gserviceaccount.com:generateAccessToken\n" +
      'Bearer federated\n{"scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"3600s"}',
    `${AT}latest:access\nBearer account`,
  ]);
});
test.each<[string, Json, string]>([
  ["a project that the operator has not named", OWN, "projects/theirs/secrets/a"],
  ["a gateway without an identity", { wifProjects: "acme" }, PATH],
])("%s is asked nothing as the gateway", async (_, config, path) => {
  const { read, asked } = await google(config);
  expect(await read({ gcp_auth_type: "wif" }, path)).toMatchObject({ missing: expect.stringContaining("operator") });
  expect(asked).toEqual([]);
});
test("a secret of one region is asked for there, and a member is taken out of one that is JSON", async () => {
  const { read, asked } = await google({}, token("a"), value('{"key":"one"}'));
  expect(await read(account, "projects/acme/locations/europe-west4/secrets/openai/versions/2", "key")).toEqual({ value: "one" });
  expect(asked[1]).toBe(
    "GET https://secretmanager.europe-west4.rep.googleapis.com/v1/projects/acme/locations/europe-west4/secrets/openai/versions/2:access\nBearer a",
  );
});
test("what Google says no to is missing; what it cannot say, or did not arrive whole, is thrown", async () => {
  const cut: readonly [number, Json] = [200, { payload: { data: "YQ==", dataCrc32c: "1" } }];
  const { read } = await google({}, token("a"), [404, {}], [403, {}], [400, {}], [503, {}], cut);
  expect(await read(account)).toMatchObject({ missing: expect.stringContaining("404") });
  expect(await read(account)).toMatchObject({ missing: expect.stringContaining("403") });
  expect(await read(account)).toMatchObject({ missing: expect.stringContaining("400") });
  await expect(read(account)).rejects.toThrow("503");
  await expect(read(account)).rejects.toThrow("whole");
  const refused = await google({}, [400, { error: "invalid_grant" }]);
  expect(await refused.read(account)).toEqual({ missing: "oauth2.googleapis.com gave no token (400)" });
});
test.each(["../x", "projects/a/secrets/b/../c", "projects/a/secrets/b?x", "openai", "projects/a/secrets/b/versions/1:destroy"])(
  "the path %s is not asked for",
  async (path) => {
    const { read, asked } = await google({});
    expect(await read(account, path)).toMatchObject({ missing: expect.any(String) });
    expect(asked).toEqual([]);
  },
);
test("what is no key file is said without any of it", async () => {
  const { read, asked } = await google({});
  const broken = JSON.stringify({ client_email: "a@b.example", private_key: "s3cret-key" });
  for (const gcp_service_account_json of ["s3cret", "{}", broken]) {
    const said = await read({ gcp_auth_type: "serviceAccount", gcp_service_account_json });
    expect(said).toMatchObject({ missing: expect.stringContaining("gcp_service_account_json") });
    expect(JSON.stringify(said)).not.toContain("s3cret");
  }
  expect(asked).toEqual([]);
});
