import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import type { Json, OutgoingRequest, Provider, Target } from "#contract";
import plugin from "../../providers/bedrock/index.ts";
import { fakeHost } from "../kit/host.ts";
import { type Received, type Replay, replayServer } from "../kit/replay.ts";
import { type Claim, claimOf, type SignedRequest } from "./bedrock-signature.ts";
import { verifies } from "../requirements/verifies.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const KEY = { aws_access_key_id: "AKIDEXAMPLE", aws_secret_access_key: SECRET };
const ROLE = "arn:aws:iam::123456789012:role/team/bedrock";

/* ── AWS's Security Token Service, on this machine ────────────────────────────────────────────────────────────────── */

const sts = replayServer();
afterAll(() => sts.close());
/** The plugin's requests, each sent on to the server above; the host it was for stays in its header. */
const toSts = async (request: Request): Promise<Response> => {
  const { host, pathname, search } = new URL(request.url);
  const { method, headers } = request;
  const body = method === "POST" ? { body: await request.text() } : {};
  return fetch(`${sts.url}${pathname}${search}`, { method, headers: [...headers, ["x-meant-for", host]], ...body });
};
const asReceived = ({ method, path, headers, body }: Received): SignedRequest => {
  const meant = new Headers(headers);
  meant.set("host", headers.get("x-meant-for") ?? "");
  return { method, path, headers: meant, body };
};
const credentials = (name: string): Replay => ({
  headers: { "content-type": "text/xml" },
  body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/r/s</Arn></AssumedRoleUser>
<Credentials><AccessKeyId>ASIA${name}</AccessKeyId><SecretAccessKey>secret/of+${name}</SecretAccessKey><SessionToken>token/of+${name}==</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></Credentials>
</AssumeRoleResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleResponse>`,
});
const refusal: Replay = {
  status: 403,
  headers: { "content-type": "text/xml" },
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User: arn:aws:iam::999:user/gateway is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`,
};

const IDENTITY = { AWS_ASSUME_ROLE_ACCESS_KEY_ID: "AKIAGATEWAY", AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: "secret/of/the/gateway" };

interface World {
  readonly provider: Provider;
  readonly clock: { now: number };
  readonly lines: readonly Json[];
}
async function world(config: Json = {}, secrets: Readonly<Record<string, string>> = IDENTITY): Promise<World> {
  const { host, clock, lines } = await fakeHost(plugin.needs, { fetch: toSts, secrets, id: "bedrock" });
  const settings = Value.Parse(plugin.config, config);
  return { provider: (await plugin.setup(host, settings)).provides, clock, lines };
}
const target = (fields: Json = {}, more: Partial<Target> = {}): Target => ({
  fields: { aws_region: "us-east-1", ...fields },
  apiKey: "",
  customHost: null,
  model: "m",
  ...more,
});
const BODY = '{"messages":[{"role":"user","content":[{"text":"Grüße"}]}]}';

interface Signed {
  readonly url: string;
  readonly headers: Headers;
  claim(secret: string): Claim;
}
/** A request as the pipeline would send it. */
async function sent({ provider }: World, at: Target, more: Partial<OutgoingRequest> = {}): Promise<Signed> {
  const { baseUrl, headers } = provider.endpoint(at);
  const plain: OutgoingRequest = {
    method: "POST",
    url: `${baseUrl}/model/a%3A0/converse`,
    headers: new Headers(headers),
    body: BODY,
    ...more,
  };
  const request = (await provider.sign?.(plain, at)) ?? plain;
  const { host, pathname, search } = new URL(request.url);
  const claim = (secret: string): Claim => {
    const onTheWire = new Headers(request.headers);
    onTheWire.set("host", host);
    const body = new Uint8Array(Buffer.from((request.body ?? "") as string | Uint8Array));
    return claimOf({ method: request.method, path: pathname + search, headers: onTheWire, body }, secret);
  };
  return { url: request.url, headers: request.headers, claim };
}
const refused = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => "not refused",
    (thrown: unknown) => thrown,
  );

describe("the signature check of these tests", () => {
  // the case get-vanilla of AWS's own SigV4 test suite
  const vanilla = (signature: string): SignedRequest => ({
    method: "GET",
    path: "/",
    headers: new Headers({
      host: "example.amazonaws.com",
      "x-amz-date": "20150830T123600Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    }),
    body: new Uint8Array(),
  });
  test("agrees with AWS's published example", () => {
    expect(claimOf(vanilla("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"), SECRET)).toMatchObject({
      authentic: true,
      service: "service",
    });
  });
  test("sees another signature, another secret, another body and an unsigned header", () => {
    const right = vanilla("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    const added = new Headers([...right.headers, ["x-amz-security-token", "t"]]);
    for (const [request, secret] of [
      [vanilla("0".repeat(64)), SECRET],
      [right, "another"],
      [{ ...right, body: Buffer.from("x") }, SECRET],
      [{ ...right, path: "/other" }, SECRET],
      [{ ...right, headers: added }, SECRET],
    ] as const)
      expect(claimOf(request, secret).authentic).toBeFalse();
  });
});

describe("an access key", () => {
  test("signs the request for its region, path and body as they will be sent", async () => {
    const { url, headers, claim } = await sent(await world(), target({ ...KEY, aws_region: "eu-central-1" }));
    expect(url).toBe("https://bedrock-runtime.eu-central-1.amazonaws.com/model/a%3A0/converse");
    expect(claim(SECRET)).toEqual({
      authentic: true,
      keyId: "AKIDEXAMPLE",
      region: "eu-central-1",
      service: "bedrock",
      sessionToken: null,
      signed: ["host", "x-amz-content-sha256", "x-amz-date"],
    });
    expect(headers.get("x-amz-date")).toBe("20260101T000000Z");
  });
  test("of a session sends its token under the signature", async () => {
    const { claim } = await sent(await world(), target({ ...KEY, aws_session_token: "FwoGZXIv/+==" }));
    expect(claim(SECRET)).toMatchObject({
      authentic: true,
      sessionToken: "FwoGZXIv/+==",
      signed: expect.arrayContaining(["x-amz-security-token"]),
    });
  });
  test.each([
    ["a query", { url: "https://h.example/base//model/a%3A0/converse?b=2&a=%2F+x&a=1" }],
    ["a port", { url: "https://h.example:8443/model/a%3A0/converse" }],
    ["no body", { method: "GET", body: null }],
    ["bytes", { body: new Uint8Array([0, 255, 10]) }],
    ["a stream", { body: new Blob(["abc"]).stream() }],
    [
      "headers of its own",
      { headers: new Headers({ "x-amzn-bedrock-trace": "ENABLED", "x-amz-date": "wrong", accept: "a,  b", "x-custom": "1" }) },
    ],
  ])("signs a request with %s", async (_, more) => {
    const { claim } = await sent(await world(), target(KEY), more as Partial<OutgoingRequest>);
    expect(claim(SECRET).authentic).toBeTrue();
  });
  test("leaves no forwarded credential in place", async () => {
    const headers = new Headers({ authorization: "Bearer other", "x-amz-security-token": "other" });
    const signed = await sent(await world(), target(KEY), { headers });
    expect(signed.claim(SECRET)).toMatchObject({ authentic: true, sessionToken: null });
  });
  test("signs anew every time, with the time that it is", async () => {
    const it = await world();
    const first = await sent(it, target(KEY));
    it.clock.now += 86_400_000;
    const second = await sent(it, target(KEY));
    expect([first, second].map(({ headers }) => headers.get("x-amz-date"))).toEqual(["20260101T000000Z", "20260102T000000Z"]);
    expect(second.claim(SECRET).authentic).toBeTrue();
  });
  test.each([
    ["without its secret", { aws_access_key_id: "A" }, "aws_secret_access_key"],
    ["without its id", { aws_secret_access_key: "s" }, "aws_access_key_id"],
    ["that is asked for and missing", { aws_auth_type: "accessKey" }, "aws_access_key_id"],
    ["that is missing, and no other credential either", {}, "aws_access_key_id"],
    ["of which the token alone is there", { aws_auth_type: "accessKey", aws_session_token: "t" }, "aws_access_key_id"],
  ])("%s is refused by name", async (_, fields, param) => {
    expect(await refused(sent(await world(), target(fields)))).toMatchObject({ code: "TARGET_INVALID", param });
  });
});

describe("a Bedrock API key", () => {
  test.each([
    ["asked for", { aws_auth_type: "apiKey", ...KEY }],
    ["given alone", {}],
  ])("%s is a bearer token, and nothing is signed", async (_, fields) => {
    const { headers } = await sent(await world(), target(fields, { apiKey: "bedrock-api-key-1" }));
    expect([...headers]).toEqual([["authorization", "Bearer bedrock-api-key-1"]]);
  });
  test("does not travel beside an access key", async () => {
    const { headers, claim } = await sent(await world(), target(KEY, { apiKey: "some-other-key" }));
    expect(claim(SECRET).authentic).toBeTrue();
    expect(JSON.stringify([...headers])).not.toContain("some-other-key");
  });
  test("may be missing where the custom host signs by itself", async () => {
    const { url, headers } = await sent(await world(), target({}, { customHost: "https://signer.example/" }));
    expect([url, [...headers]]).toEqual(["https://signer.example/model/a%3A0/converse", []]);
  });
});

describe("an assumed role", () => {
  const asked = (): readonly { readonly query: Json; readonly claim: (secret: string) => Claim; readonly host: string | null }[] =>
    sts.received.slice(before).map((request) => ({
      query: Object.fromEntries(new URL(request.path, "http://x").searchParams),
      claim: (secret) => claimOf(asReceived(request), secret),
      host: request.headers.get("x-meant-for"),
    }));
  let before = 0;
  beforeEach(() => {
    before = sts.received.length;
    sts.answer((request) => credentials(new URL(request.path, "http://x").searchParams.get("RoleArn")?.split("/").at(-1) ?? ""));
  });
  const role = (more: Json = {}) => target({ aws_auth_type: "assumedRole", aws_role_arn: ROLE, aws_region: "eu-west-1", ...more });

  test("is assumed with the gateway's own key, and its temporary key signs", async () => {
    const { claim } = await sent(await world(), role({ aws_external_id: "team:7+a" }));
    expect(claim("secret/of+bedrock")).toMatchObject({
      authentic: true,
      keyId: "ASIAbedrock",
      sessionToken: "token/of+bedrock==",
      region: "eu-west-1",
      service: "bedrock",
    });
    const [call, ...more] = asked();
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      host: "sts.eu-west-1.amazonaws.com",
      query: { Action: "AssumeRole", Version: "2011-06-15", RoleArn: ROLE, RoleSessionName: "ai-gateway", ExternalId: "team:7+a" },
    });
    expect(call?.claim(IDENTITY.AWS_ASSUME_ROLE_SECRET_ACCESS_KEY)).toMatchObject({
      authentic: true,
      keyId: "AKIAGATEWAY",
      service: "sts",
      region: "eu-west-1",
    });
  });
  test(verifies("D2.cloud-c-role", "is assumed with the target's own key when it has one"), async () => {
    await sent(await world({}, {}), role(KEY));
    const [call] = asked();
    expect(call?.claim(SECRET)).toMatchObject({ authentic: true, keyId: "AKIDEXAMPLE" });
    expect(call?.query).not.toHaveProperty("ExternalId");
  });
  test("is assumed over the source role when there is one", async () => {
    const source = "arn:aws:iam::999999999999:role/source";
    const { claim } = await sent(await world({ sourceRoleArn: source, sourceExternalId: "ours" }), role());
    expect(claim("secret/of+bedrock").authentic).toBeTrue();
    const [first, second] = asked();
    expect(first?.query).toMatchObject({ RoleArn: source, ExternalId: "ours" });
    expect(first?.claim(IDENTITY.AWS_ASSUME_ROLE_SECRET_ACCESS_KEY).authentic).toBeTrue();
    expect(second?.query).toMatchObject({ RoleArn: ROLE });
    expect(second?.claim("secret/of+source")).toMatchObject({ authentic: true, keyId: "ASIAsource", sessionToken: "token/of+source==" });
  });
  test("is asked for once by requests that come together, and again after five minutes", async () => {
    const it = await world();
    await Promise.all([sent(it, role()), sent(it, role())]);
    await sent(it, role());
    expect(asked()).toHaveLength(1);
    it.clock.now += 300_001;
    await sent(it, role());
    expect(asked()).toHaveLength(2);
  });
  test.each([
    ["external id", { aws_external_id: "other" }],
    ["region", { aws_region: "eu-west-2" }],
    ["role", { aws_role_arn: `${ROLE}-2` }],
    ["secret", { ...KEY, aws_secret_access_key: "guessed" }],
  ])("is not remembered for another %s", async (_, other) => {
    const it = await world();
    await sent(it, role(KEY));
    await sent(it, role({ ...KEY, ...other }));
    expect(asked()).toHaveLength(2);
  });
  test("is not asked for again while it is in use, however many others are", async () => {
    const it = await world();
    for (let nth = 0; nth <= 1_100; nth += 1) {
      if (nth % 100 === 0) await sent(it, role());
      await sent(it, role({ aws_role_arn: `${ROLE}-${nth}` }));
    }
    expect(asked().filter(({ query }) => query["RoleArn"] === ROLE)).toHaveLength(1);
  }, 30_000);
  test("that AWS refuses is an error with its status, and asked for again the next time", async () => {
    const it = await world();
    sts.answer(refusal);
    const thrown = await refused(sent(it, role()));
    expect(thrown).toMatchObject({
      status: 403,
      error: {
        message: `AWS did not let the gateway assume the role ${ROLE}: AccessDenied.`,
        type: "permission_error",
        code: "AccessDenied",
      },
    });
    expect(JSON.stringify(thrown)).not.toContain("user/gateway");
    expect(it.lines).toContainEqual(
      expect.objectContaining({ level: "warn", role: ROLE, message: expect.stringContaining("user/gateway") }),
    );
    sts.answer(credentials("bedrock"));
    expect((await sent(it, role())).claim("secret/of+bedrock").authentic).toBeTrue();
  });
  test.each([
    ["is no answer of the service", { body: "<html>captive portal</html>" }, 502],
    ["has no words", { status: 503, body: "" }, 503],
  ])("whose answer %s is an error", async (_, replay, status) => {
    sts.answer(replay);
    expect(await refused(sent(await world(), role()))).toMatchObject({ status });
  });
  test("needs an identity that may assume it, and a name", async () => {
    expect(await refused(sent(await world({}, {}), role()))).toMatchObject({
      code: "TARGET_INVALID",
      param: "aws_auth_type",
      message: expect.stringContaining("AWS_ASSUME_ROLE_ACCESS_KEY_ID"),
    });
    expect(await refused(sent(await world(), target({ aws_auth_type: "assumedRole" })))).toMatchObject({
      code: "TARGET_INVALID",
      param: "aws_role_arn",
    });
    expect(asked()).toEqual([]);
  });
});

describe("the role of the gateway's own service account", () => {
  const OWN = "arn:aws:iam::999999999999:role/gateway";
  const tokenFile = join(mkdtempSync(join(tmpdir(), "bedrock-")), "token");
  writeFileSync(tokenFile, "platform-jwt\n");
  const lent = { serviceRoleArn: OWN, serviceTokenFile: tokenFile, serviceRole: "on" };
  const form = { Action: "AssumeRoleWithWebIdentity", Version: "2011-06-15", RoleArn: OWN, RoleSessionName: "ai-gateway" };
  const serviceRole = target({ aws_auth_type: "serviceRole", aws_region: "eu-west-1" });
  let before = 0;
  beforeEach(() => {
    before = sts.received.length;
    sts.answer(({ path }) => credentials(path === "/" ? "gateway" : "bedrock"));
  });
  const asked = (): readonly Received[] => sts.received.slice(before);

  test(verifies("A.wif.aws", "is taken by its platform's token, unsigned, and signs requests where the operator lends it"), async () => {
    const it = await world(lent, {});
    const [{ claim }] = await Promise.all([sent(it, serviceRole), sent(it, serviceRole)]);
    expect(claim("secret/of+gateway")).toMatchObject({ authentic: true, keyId: "ASIAgateway", sessionToken: "token/of+gateway==" });
    expect(asked()).toHaveLength(1);
    const [call = expect.unreachable()] = asked();
    expect([call.method, call.path, call.headers.get("x-meant-for")]).toEqual(["POST", "/", "sts.eu-west-1.amazonaws.com"]);
    expect(call.text()).toBe(new URLSearchParams({ ...form, WebIdentityToken: "platform-jwt" }).toString());
    expect(call.headers.get("authorization")).toBeNull();
  });
  test("assumes the roles of callers where the gateway has no access key", async () => {
    const role = target({ aws_auth_type: "assumedRole", aws_role_arn: ROLE, aws_region: "eu-west-1" });
    const { claim } = await sent(await world({ ...lent, serviceRole: "off" }, {}), role);
    expect(claim("secret/of+bedrock").authentic).toBeTrue();
    const [, second = expect.unreachable()] = asked();
    expect(claimOf(asReceived(second), "secret/of+gateway")).toMatchObject({ authentic: true, keyId: "ASIAgateway", service: "sts" });
  });
  test("is lent to nobody otherwise", async () => {
    const { serviceRole: _, ...kept } = lent;
    expect(await refused(sent(await world(kept, {}), serviceRole))).toMatchObject({
      code: "TARGET_INVALID",
      param: "aws_auth_type",
      message: expect.stringContaining("BEDROCK_SERVICE_ROLE"),
    });
    expect(asked()).toEqual([]);
  });
});

describe("the fields of a target", () => {
  const accepts = async (fields: Json): Promise<boolean> => Value.Check((await world()).provider.target, fields);
  test.each(["us-east-1", "us-gov-west-1", "ap-southeast-2", "eusc-de-east-1", "mx-central-1"])(
    "take the region %s",
    async (aws_region) => {
      expect(await accepts({ aws_region })).toBeTrue();
    },
  );
  test.each([
    "",
    "evil.example/x-1",
    "us-east-1.evil.example",
    "us-east-1@evil.example",
    "us-east-1/",
    "us-east-1#",
    "US-EAST-1",
    "us-east-1\n",
    "a-1",
  ])("take no region that could lead to another host: %j", async (aws_region) => {
    expect(await accepts({ aws_region })).toBeFalse();
  });
  test("take roles, and no other way to authenticate than the four", async () => {
    expect(await accepts({ aws_role_arn: ROLE, aws_external_id: null })).toBeTrue();
    for (const fields of [
      { aws_role_arn: "arn:aws:iam::1:user/x" },
      { aws_external_id: "a b" },
      { aws_auth_type: "other" },
      { aws_session_token: "a\nb" },
    ])
      expect({ fields, accepted: await accepts(fields) }).toEqual({ fields, accepted: false });
  });
  test("mark what is secret", async () => {
    const { target } = (await world()).provider;
    const secret = Object.entries(target["properties"] as Record<string, Json>).filter(([, property]) => property["secret"] === true);
    expect(secret.map(([name]) => name)).toEqual(["aws_secret_access_key", "aws_session_token"]);
  });
});

test("the domain of another partition makes other hosts", async () => {
  const { url } = await sent(await world({ domain: "amazonaws.com.cn" }), target({ ...KEY, aws_region: "cn-north-1" }));
  expect(new URL(url).host).toBe("bedrock-runtime.cn-north-1.amazonaws.com.cn");
});
