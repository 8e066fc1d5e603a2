/** Two workspaces on one credential: items of a provider's responses, and models that were trained for one of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { itemsOf } from "./endpoints/api.ts";
import { plantTenant } from "./endpoints/tenant.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

const MODEL = "ft:gpt-4o:acme::1";
const CHECKPOINT = `${MODEL}:ckpt-step-90`;
const UNRECORDED = "ft:gpt-4o:acme::trained-elsewhere";
const text = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Hi", annotations: [] }] };
const event = (type: string, members: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const streamOf = (response: object, items: readonly object[]): string =>
  [
    event("response.created", { response: { ...response, output: [] } }),
    ...items.map((item, output_index) => event("response.output_item.added", { output_index, item })),
    event("response.completed", { response }),
  ].join("");

/** A provider that knows credentials, and no workspaces. */
let made = 0;
function provider(request: Received): Replay {
  const path = new URL(request.path, "http://provider").pathname.replace(/^\/v1/, "");
  if (path === "/models") return jsonAnswer({ object: "list", data: ["gpt-4o", MODEL, UNRECORDED].map((id) => ({ id, object: "model" })) });
  if (path.endsWith("/checkpoints")) return jsonAnswer({ object: "list", data: [{ id: "c", fine_tuned_model_checkpoint: CHECKPOINT }] });
  if (path.startsWith("/fine_tuning")) return jsonAnswer({ id: "ftjob-1", object: "fine_tuning.job", fine_tuned_model: MODEL });
  if (path !== "/responses") return jsonAnswer({ id: "x", object: "chat.completion", choices: [], data: [] });
  made += 1;
  const items = [
    { type: "reasoning", id: `rs_${made}`, summary: [] },
    { ...text, id: `msg_${made}` },
  ];
  const response = { id: `resp_${made}`, object: "response", status: "completed", model: "m", output: items };
  const { stream } = request.json() as { stream?: boolean };
  return stream === true ? sseAnswer(streamOf(response, items)) : jsonAnswer(response);
}

let upstream: ReplayServer;
let gateway: GatewayProcess;
let otherKey: string;
beforeAll(async () => {
  upstream = replayServer(provider);
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  const keys = itemsOf(await ask(`${gateway.base}/v2/api-keys`, "GET", ADMIN_KEY));
  const other = await plantTenant({ dataDir: gateway.dataDir, organisationId: String(keys[0]?.["organisation_id"]), slug: "second" });
  otherKey = other.gatewayKey;
  const created = await ask(`${gateway.base}/admin/v2/integrations`, "POST", ADMIN_KEY, {
    ...{ name: "shared", slug: "shared", ai_provider_id: "openai", key: "sk-of-both-0123456789", create_default_provider: false },
    configurations: { custom_host: `${upstream.url}/v1` },
  });
  expect(created.status).toBe(200);
  for (const workspace_id of ["default", other.workspaceId]) {
    const saved = await ask(`${gateway.base}/v2/providers`, "POST", ADMIN_KEY, {
      ...{ name: "shared", slug: "shared", workspace_id, integration_id: "shared" },
    });
    expect(saved.status).toBe(200);
  }
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const request = (key: string, method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer> =>
  ask(`${gateway.base}/v1${path}`, method, key, body, { "x-gateway-provider": "@shared" });
/** Whoever uploads it: for this provider all files are one. */
async function upload(key: string): Promise<void> {
  const body = new FormData();
  body.set("purpose", "fine-tune");
  body.set("file", new File(["{}"], "lines.jsonl"));
  const headers = { "x-gateway-api-key": key, "x-gateway-provider": "@shared" };
  expect((await fetch(`${gateway.base}/v1/files`, { method: "POST", headers, body })).status).toBe(200);
}
const respond = (key: string, input: unknown, more: object = {}) => request(key, "POST", "/responses", { model: "m", input, ...more });

describe("an item of a provider's response", () => {
  test.each([false, true])(
    verifies("D7.owned.items", "is there for the workspace that it was made for, and 404 for another (stream: %p)"),
    async (stream) => {
      await respond(GATEWAY_KEY, "Hello", { stream });
      for (const id of [`rs_${made}`, `msg_${made}`])
        for (const reference of [{ type: "item_reference", id }, { id }]) {
          const input = [reference, { role: "user", content: "Go on." }];
          const before = upstream.received.length;
          const theirs = await respond(otherKey, input);
          expect([theirs.status, upstream.received.length]).toEqual([404, before]);
          expect(theirs.text).toContain(id);
          expect((await respond(GATEWAY_KEY, input)).status).toBe(200);
        }
    },
  );
});

describe("a model that was trained for a workspace", () => {
  beforeAll(async () => {
    for (const key of [GATEWAY_KEY, otherKey]) await upload(key);
    const job = await request(GATEWAY_KEY, "POST", "/fine_tuning/jobs", { model: "gpt-4o", training_file: "x" });
    expect(job.status).toBe(200);
  });
  const USES: readonly (readonly [string, string, object])[] = [
    ["chat", "/chat/completions", { messages: [{ role: "user", content: "Hello" }] }],
    ["responses", "/responses", { input: "Hello" }],
    ["completions", "/completions", { prompt: "Hello" }],
    ["messages", "/messages", { max_tokens: 5, messages: [{ role: "user", content: "Hello" }] }],
    ["embeddings", "/embeddings", { input: "Hello" }],
    ["another job", "/fine_tuning/jobs", { training_file: "x" }],
  ];
  test.each(USES)(verifies("D7.owned.models", "answers it, and is 404 for another: %s"), async (_, path, body) => {
    await recordModels();
    for (const model of [MODEL, CHECKPOINT]) {
      const theirs = await request(otherKey, "POST", path, { ...body, model });
      expect([theirs.status, JSON.stringify(theirs.json)]).toEqual([404, expect.stringContaining(model)]);
      expect((await request(GATEWAY_KEY, "POST", path, { ...body, model })).status).not.toBe(404);
    }
  });
  test(verifies("D7.owned.models", "stands in its own list of the provider's models only, beside those that nobody recorded"), async () => {
    await recordModels();
    const listed = async (key: string) =>
      ((await request(key, "GET", "/models")).json["data"] as unknown as { id: string }[]).map(({ id }) => id);
    expect(await listed(GATEWAY_KEY)).toEqual(["gpt-4o", MODEL, UNRECORDED]);
    expect(await listed(otherKey)).toEqual(["gpt-4o", UNRECORDED]);
    const inGoogles = (await ask(`${gateway.base}/v1beta/models`, "GET", otherKey, undefined, { "x-gateway-provider": "@shared" })).json;
    expect(inGoogles["models"]).toMatchObject(["gpt-4o", UNRECORDED].map((name) => ({ name: `models/${name}` })));
    expect((await request(otherKey, "POST", "/embeddings", { model: UNRECORDED, input: "x" })).status).toBe(200);
  });
  /** Its workspace has seen its job done, and its checkpoints. */
  async function recordModels(): Promise<void> {
    for (const path of ["/fine_tuning/jobs/ftjob-1", "/fine_tuning/jobs/ftjob-1/checkpoints"])
      expect((await request(GATEWAY_KEY, "GET", path)).status).toBe(200);
  }
});
