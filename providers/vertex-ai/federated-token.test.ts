import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, Target } from "#contract";
import { parseManifests } from "../../core/kernel/discovery/manifest.ts";
import { atWork } from "../../tests/kit/set-up.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json" with { type: "json" };

const tokenFile = join(mkdtempSync(join(tmpdir(), "vertex-")), "token");
writeFileSync(tokenFile, "platform-jwt\n");
const POOL = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers";
const OWN = { wifAudience: `${POOL}/gateway`, wifTokenFile: tokenFile };
const AT = "https://europe-west4-aiplatform.googleapis.com/v1/x";

/** Google's token services, which answer in order, and what they were asked. */
async function vertex(config: Json, ...answers: readonly (readonly [status: number, body: Json])[]) {
  const asked: string[] = [];
  const left = [...answers];
  const { provides, clock } = await atWork({
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
  const sent = async (fields: Json, customHost: string | null = null): Promise<string | null> => {
    const at: Target = { fields, apiKey: "", customHost, model: "gemini-2.5-flash" };
    const request = { method: "POST", url: AT, headers: new Headers(), body: "{}" };
    return (await provides.sign?.(request, at))?.headers.get("authorization") ?? null;
  };
  return { sent, asked, clock };
}
const exchange = (subject_token: string, audience: string): string =>
  `POST https://sts.googleapis.com/v1/token\n${new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  })}`;
const token = (access_token: string): readonly [number, Json] => [200, { access_token, expires_in: 60, token_type: "Bearer" }];
const account = (accessToken: string, expireTime: string): readonly [number, Json] => [200, { accessToken, expireTime }];
const WIF = { vertex_auth_type: "wif" };

test(
  verifies(
    "A.wif.google",
    "the gateway's own identity exchanges its platform's token once for its life, as the account that its operator names",
  ),
  async () => {
    const config = { ...OWN, wifServiceAccountEmail: "gateway@acme.iam.gserviceaccount.com" };
    const { sent, asked, clock } = await vertex(
      config,
      token("own"),
      account("first", "2026-01-01T00:01:00Z"),
      token("own"),
      account("second", "2026-01-01T01:00:00Z"),
    );
    expect(await Promise.all([sent(WIF), sent(WIF)])).toEqual(["Bearer first", "Bearer first"]);
    clock.now += 50_000;
    expect(await sent(WIF)).toBe("Bearer second");
    expect(asked).toHaveLength(4);
    expect(asked.slice(0, 2)).toEqual([
      exchange("platform-jwt", OWN.wifAudience),
      "POST https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/gateway%40acme.iam.gserviceaccount.com:generateAccessToken\n" +
        'Bearer own\n{"scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"3600s"}',
    ]);
  },
);
test(verifies("A.wif.google", "a token of an integration's own is exchanged for the pool and account that stand beside it"), async () => {
  const { sent, asked } = await vertex({}, token("theirs"), token("own"), account("account", "2026-01-01T01:00:00Z"));
  const theirs = { vertex_wif_subject_token: "their-jwt\n", vertex_wif_audience: `${POOL}/theirs` };
  expect(await sent(theirs)).toBe("Bearer theirs");
  expect(await sent({ ...theirs, ...WIF, vertex_wif_service_account_email: "a@theirs.iam.gserviceaccount.com" })).toBe("Bearer account");
  expect(asked[0]).toBe(exchange("their-jwt", `${POOL}/theirs`));
  expect(asked[2]).toContain("/serviceAccounts/a%40theirs.iam.gserviceaccount.com:generateAccessToken");
});
test.each<[string, Json, Json, string | null, string]>([
  ["for a pool that the request names", OWN, { ...WIF, vertex_wif_audience: `${POOL}/theirs` }, null, "vertex_wif_subject_token"],
  [
    "as an account that the request names",
    OWN,
    { ...WIF, vertex_wif_service_account_email: "a@b.example" },
    null,
    "vertex_wif_subject_token",
  ],
  ["to a host that is not Google's", OWN, WIF, "https://googleapis.com.example", "custom_host"],
  ["where the gateway has none", {}, WIF, null, "vertex_auth_type"],
])("the gateway's own identity is not used %s", async (_, config, fields, host, param) => {
  const { sent, asked } = await vertex(config);
  await expect(sent(fields, host)).rejects.toMatchObject({ code: "TARGET_INVALID", param });
  expect(asked).toEqual([]);
});
test("a refusal is told in Google's words and not kept", async () => {
  const refusal = { error: "invalid_target", error_description: "no such pool" };
  const denied = { error: { status: "PERMISSION_DENIED", message: "may not impersonate" } };
  const config = { ...OWN, wifServiceAccountEmail: "gateway@acme.iam.gserviceaccount.com" };
  const { sent } = await vertex(config, [400, refusal], token("own"), [403, denied], [503, {}]);
  await expect(sent(WIF)).rejects.toMatchObject({
    status: 401,
    error: { message: expect.stringContaining("invalid_target: no such pool") },
  });
  await expect(sent(WIF)).rejects.toMatchObject({ status: 401, error: { message: expect.stringContaining("may not impersonate") } });
  await expect(sent(WIF)).rejects.toMatchObject({ status: 503 });
});
