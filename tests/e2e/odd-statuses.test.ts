/** A status that HTTP does not have ends the exchange: the provider's answer is refused, its connection let go, nothing is left open. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";
import { head, type WireUpstream, wireUpstream } from "./wire-upstream.ts";

let gateway: GatewayProcess;
let upstream: WireUpstream;
let status = "600";

beforeAll(async () => {
  // It says that more will come, and keeps the connection open.
  upstream = await wireUpstream({
    odd: (call) => call.send(`${head("application/json", "content-length: 100\r\n", `${status} Odd`)}{"half":`),
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1", REQUEST_TIMEOUT: "5000" } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  upstream.close();
});

const asked = (body: object = {}, config: object = {}) =>
  chat(
    gateway,
    { model: "m", ...body },
    {
      "x-gateway-provider": "",
      "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/odd`, ...config }),
    },
  );
const openAnswers = async (): Promise<string> => (await fetch(`${gateway.base}/metrics`)).text();
const settledTimes = async (): Promise<number> =>
  [...(await openAnswers()).matchAll(/^gateway_requests_total\{.*status="502".*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );

describe.each(["000", "099", "600", "999"])("%s", (odd) => {
  test.each([false, true])("is 502 with a sentence, and the connection is let go (stream: %p)", async (stream) => {
    status = odd;
    const before = await settledTimes();
    const answer = await asked({ stream });
    expect([answer.status, answer.json as object]).toMatchObject([
      502,
      {
        error: {
          message: `The provider openai answered with something that is not its format: it answered with the status ${Number(odd)}.`,
        },
        provider: "openai",
      },
    ]);
    await until("the provider was let go", () => upstream.calls.every((call) => call.closedAt !== null));
    await until("nothing is open", async () => (await openAnswers()).includes("gateway_upstream_open 0\n"));
    expect((await settledTimes()) - before).toBe(1);
    const id = answer.headers.get("x-gateway-request-id");
    await until("it is logged", async () => (await ask(`${gateway.base}/v1/logs/${id}`, "GET", gateway.gatewayKey)).status === 200);
  });
});

test("it is tried again where the config says so of 502, and falls back", async () => {
  status = "700";
  const before = upstream.calls.length;
  const answer = await asked({}, { retry: { attempts: 2, on_status_codes: [502] } });
  expect([answer.status, upstream.calls.length - before, answer.headers.get("x-gateway-retry-attempt-count")]).toEqual([502, 3, "-1"]);
  const elsewhere = {
    strategy: { mode: "fallback" },
    targets: [
      { provider: "openai", api_key: "k", custom_host: `${upstream.url}/odd` },
      { provider: "sandbox", override_params: { model: "echo" } },
    ],
  };
  const fallen = await chat(gateway, {}, { "x-gateway-provider": "", "x-gateway-config": JSON.stringify(elsewhere) });
  expect([fallen.status, fallen.headers.get("x-gateway-last-used-option-index")]).toEqual([200, "config.targets[1]"]);
  await until("the provider was let go", () => upstream.calls.every((call) => call.closedAt !== null));
}, 15_000);
