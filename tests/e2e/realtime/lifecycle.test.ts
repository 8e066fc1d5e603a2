/** How realtime sessions end: keys, limits, and a gateway that stops. */
import { afterAll, describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, forAll, itemsOf, logOf, newKey } from "../endpoints/api.ts";
import { ask, startGateway, until } from "../process.ts";
import { dial, dialForLog } from "./client.ts";
import { type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
const api = forAll({ GATEWAY_TRUSTED_HOSTS: upstream.host });
afterAll(() => upstream.close());
const STAND_IN = {
  "x-gateway-provider": "openai",
  "x-gateway-custom-host": `${upstream.url}/v1`,
  authorization: "Bearer sk-provider-0123456789",
};
const used = (id: string, tokens: number): object => ({
  type: "response.done",
  response: { id, status: "completed", output: [], usage: { input_tokens: tokens, output_tokens: 0 } },
});

/** The key, and the id of its record. */
async function keyWith(name: string, body: Readonly<Record<string, unknown>>) {
  const key = await newKey(api, { name, ...body });
  const listed = itemsOf(await api.admin("GET", "/v2/api-keys?workspace_id=default&page_size=100"));
  return { key, id: String(listed.find((item) => item["name"] === name)?.["id"]) };
}

describe("a session ends within a second", () => {
  test(verifies("D7.12.revoked", "after its key was deleted, and the provider's side with it; another key's goes on"), async () => {
    const { key, id } = await keyWith("to be revoked", {});
    const session = await dial(api.gateway, STAND_IN, { key });
    const visit = upstream.last;
    const other = await dial(api.gateway, STAND_IN);
    expect((await api.admin("DELETE", `/v2/api-keys/${id}`)).status).toBe(200);
    const revokedAt = performance.now();
    expect(await session.end()).toMatchObject({ code: 1008, reason: expect.stringContaining("not known here") });
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
    await until("the provider hears it", () => visit.closed);
    expect(visit.closed).toMatchObject({ code: 1008 });
    other.say("still here");
    await until("the other goes on", () => upstream.last.received.includes("still here"));
    other.close();
  });
  test("after its key has expired", async () => {
    const expiresAt = Date.now() + 1_500;
    const { key } = await keyWith("short-lived", { expires_at: new Date(expiresAt).toISOString() });
    const session = await dial(api.gateway, STAND_IN, { key });
    const { code } = await session.end();
    expect([code, Date.now() >= expiresAt, Date.now() < expiresAt + 1_000]).toEqual([1008, true, true]);
  });
  test("after its key has lost the scope", async () => {
    const { key, id } = await keyWith("narrowed", {});
    const session = await dial(api.gateway, STAND_IN, { key });
    bodyOf(await api.admin("PUT", `/v2/api-keys/${id}`, { scopes: ["logs.view"] }));
    expect(await session.end()).toMatchObject({ code: 1008, reason: expect.stringContaining("lacks the scope") });
  });
});

test(
  verifies("D7.12.headers", "the headers of any request hold for a session: its trace and metadata are logged, its beta is sent"),
  async () => {
    const headers = { "x-gateway-trace-id": "call 7", "x-gateway-metadata": '{"team":"red"}', "x-gateway-openai-beta": "realtime=v1" };
    const { id, session } = await dialForLog(api.gateway, { ...STAND_IN, ...headers });
    expect(upstream.last.headers["openai-beta"]).toBe("realtime=v1");
    session.cut();
    const { metrics } = await logOf(api, id);
    expect(metrics).toMatchObject({ trace_id: "call 7", "metadata.key": ["team"], "metadata.value": ["red"] });
  },
);

test(
  verifies("D7.12.limits", "what each response used is counted at once, and a limit that is reached closes the session with its reason"),
  async () => {
    const { key } = await keyWith("limited", { rate_limits: [{ type: "tokens", unit: "rph", value: 100 }] });
    const first = await dial(api.gateway, STAND_IN, { key });
    upstream.last.say(used("a", 40));
    await first.event("response.done");
    const second = await dial(api.gateway, STAND_IN, { key });
    upstream.last.say(used("b", 59));
    await second.event("response.done");
    second.close(); // counted, and not again when it is settled
    const third = await dial(api.gateway, STAND_IN, { key });
    upstream.last.say(used("c", 1));
    expect(await third.end()).toMatchObject({ code: 1008, reason: expect.stringContaining("rate limit") });
    expect(third.messages).toHaveLength(1); // the response itself was had
    await expect(dial(api.gateway, STAND_IN, { key })).rejects.toThrow();
    first.close();
  },
);

test("a client that leaves before its response has ended has it counted all the same", async () => {
  const { key } = await keyWith("leaves early", { rate_limits: [{ type: "tokens", unit: "rph", value: 100 }] });
  const session = await dial(api.gateway, STAND_IN, { key });
  const visit = upstream.last;
  visit.say({ type: "response.created", response: { id: "resp_1" } });
  visit.say({ type: "response.output_text.delta", response_id: "resp_1", delta: "all that was asked for" });
  await session.event("response.output_text.delta");
  session.close(1000, "enough");
  await until("the provider is told to stop", () => visit.received.includes('{"type":"response.cancel","response_id":"resp_1"}'));
  visit.say(used("resp_1", 100));
  await until("the provider's side ends", () => visit.closed);
  expect(visit.closed).toEqual({ code: 1000, reason: "enough" });
  await expect(dial(api.gateway, STAND_IN, { key })).rejects.toThrow();
});

test("a gateway that stops closes what is idle at once, lets a response end, and tells both in the log", async () => {
  const gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: upstream.host } });
  const idle = await dial(gateway, STAND_IN);
  const { id, session } = await dialForLog(gateway, STAND_IN);
  const busy = upstream.last;
  busy.say({ type: "response.created", response: { id: "resp_1" } });
  await until("it has begun", () => session.heard.length === 1);
  const stopped = gateway.stop();
  expect(await idle.end()).toMatchObject({ code: 1001, reason: expect.stringContaining("connect again") });
  session.send("still under way");
  await until("it goes on", () => busy.received.includes("still under way"));
  busy.say(used("resp_1", 7));
  await until("it ends when the response has", () => busy.closed);
  expect([busy.closed, await stopped]).toEqual([{ code: 1001, reason: expect.stringContaining("connect again") }, 0]);
  const again = await startGateway({ dataDir: gateway.dataDir });
  const log = await until("its record", async () => {
    const answer = await ask(`${again.base}/v1/logs/${id}`, "GET", again.adminKey);
    return answer.status === 200 ? answer.json : undefined;
  });
  expect(log).toMatchObject({ metrics: { req_units: 7 }, response: { body: { close: { by: "gateway", code: 1001 } } } });
  await again.stop();
  gateway.remove();
});
