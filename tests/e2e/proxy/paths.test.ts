/** No spelling of a path leads what passes to another host, or to another place of a provider's than was authorised. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";
import { ask } from "../spellings.ts";

let gateway: GatewayProcess;
let upstream: ReplayServer;
let elsewhere: ReplayServer;
beforeAll(async () => {
  upstream = replayServer(jsonAnswer({ ok: true }));
  elsewhere = replayServer(jsonAnswer({ ok: true }));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: [upstream, elsewhere].map(({ url }) => new URL(url).host).join(",") } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([upstream.close(), elsewhere.close()]);
});

/** What the provider, whose base is `/base/v1`, was asked for; `undefined` where it was not. */
async function asked(
  target: string,
  provider = "openai",
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number; path: string | undefined }> {
  const before = upstream.received.length;
  const headers = [
    ...[`x-gateway-api-key: ${GATEWAY_KEY}`, "authorization: Bearer k", `x-gateway-provider: ${provider}`],
    `x-gateway-custom-host: ${upstream.url}/base/v1`,
    ...Object.entries(more).map(([name, value]) => `${name}: ${value}`),
  ];
  const { status } = await ask(gateway.port, { method: "GET", target, host: "gateway.example", headers });
  return { status, path: upstream.received.slice(before)[0]?.path };
}

describe(verifies("D7.15.paths", "a path that servers read in different ways"), () => {
  const HARMFUL = [
    ...["//evil.example/x", "/x//y", "/..%2f..%2fadmin", "/x%2fy", "/x%252fy", "/x%25252fy", "/%2e%2e%2fadmin", "/x%5c..%5cadmin"],
    ...[
      "/..;/admin",
      "/x;y=1",
      "/x%3b",
      "/%00",
      "/x%0d%0aHost:%20evil",
      "/x%3fy",
      "/x%23y",
      "/x%c0%af",
      "/%E0%A4%A",
      "/https://evil.example/x",
    ],
    ...["/%252e%252e/admin", "/x/%2e%2e%5cy"],
  ];
  test.each(HARMFUL)("does not pass: %s", async (path) => {
    expect(await asked(`/v1/proxy${path}`)).toEqual({ status: 400, path: undefined });
    expect([400, 404]).toContain((await asked(`/v1/own${path}`)).status);
    expect((await asked(`/v1/own${path}`)).path).toBeUndefined();
    expect(elsewhere.received).toEqual([]);
  });
});

describe("a path that climbs is resolved before anybody looks at it", () => {
  test.each([
    ["/v1/proxy/a/../b", "/base/v1/b"],
    ["/v1/proxy/./b", "/base/v1/b"],
    ["/v1/proxy/a\\..\\b", "/base/v1/b"],
    ["/v1/proxy/%2e%2e/own", "/base/v1/own"],
    ["/v1/proxy/a?x=../../y&u=http://evil.example", "/base/v1/a?x=../../y&u=http://evil.example"],
    ["http://evil.example/v1/proxy/b", "/base/v1/b"],
    ["/v1/proxy/a%20b/%C3%A9", "/base/v1/a%20b/%C3%A9"],
    ["/v1/proxy", "/base/v1"],
  ])("%s is asked as %s", async (target, path) => expect(await asked(target)).toEqual({ status: 200, path }));
  test.each(["/v1/proxy/../../own", "/v1/proxy/../healthz", "/v1/../admin/v2/x"])(
    "%s leaves the prefix, and passes to nobody",
    async (target) => {
      expect((await asked(target)).path?.startsWith("/base/v1/") ?? true).toBe(true);
      expect((await asked("/v1/proxy/../../own")).path).toBeUndefined();
    },
  );
});

test("a key of the gateway's in path or query goes nowhere", async () => {
  for (const target of [`/v1/proxy/own?key=${GATEWAY_KEY}`, `/v1/proxy/own/${GATEWAY_KEY}`, `/v1/own?a=b&token=${GATEWAY_KEY}`])
    expect(await asked(target)).toEqual({ status: 400, path: undefined });
});
const AZURE = { "x-gateway-azure-api-version": "2024-10-21", "x-gateway-azure-deployment-id": "mine" };
const VERTEX = { "x-gateway-vertex-project-id": "p-1", "x-gateway-vertex-region": "europe-west4" };
test.each<[string, string, Readonly<Record<string, string>>, string]>([
  ["openai", "/own", {}, "/own"],
  ["groq", "/own", {}, "/own"],
  ["mistral-ai", "/own", {}, "/own"],
  ["deepseek", "/own", {}, "/own"],
  ["openai-compatible", "/own", {}, "/own"],
  ["anthropic", "/own", {}, "/own"],
  ["google", "/models/x:run", {}, "/v1beta/models/x:run"],
  ["google", "/v1alpha/own", {}, "/v1alpha/own"],
  ["google", "/v2/own", {}, "/v1beta/v2/own"],
  [
    "vertex-ai",
    "/endpoints/openapi/chat/completions",
    VERTEX,
    "/v1/projects/p-1/locations/europe-west4/endpoints/openapi/chat/completions",
  ],
  ["bedrock", "/model/amazon.nova-lite-v1:0/converse", {}, "/model/amazon.nova-lite-v1:0/converse"],
  ["azure-openai", "/own", AZURE, "/own?api-version=2024-10-21"],
  ["azure-openai", "/files", AZURE, "/files?api-version=2024-10-21"],
])("what passes to %s begins where its operations do: %s", async (provider, path, headers, sent) => {
  expect(await asked(`/v1/proxy${path}`, provider, headers)).toEqual({ status: 200, path: `/base/v1${sent}` });
});
test("a deployment of Azure's is found for an operation that names it", async () => {
  const answer = await fetch(`${gateway.base}/v1/proxy/embeddings`, {
    method: "POST",
    headers: {
      ...{ "x-gateway-api-key": GATEWAY_KEY, authorization: "Bearer k", "content-type": "application/json" },
      ...{ "x-gateway-provider": "azure-openai", "x-gateway-custom-host": `${upstream.url}/openai`, ...AZURE },
    },
    body: JSON.stringify({ model: "m", input: "x" }),
  });
  expect([answer.status, upstream.received.at(-1)?.path]).toEqual([200, "/openai/deployments/mine/embeddings?api-version=2024-10-21"]);
});
