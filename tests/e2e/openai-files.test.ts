/** Files, batches and models by the official OpenAI client: against the offline provider, and against a provider's own wire. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
let offline: OpenAI;
let online: OpenAI;

const clientFor = (headers: Record<string, string>): OpenAI =>
  new OpenAI({
    apiKey: "sk-provider-key",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
  });
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  offline = clientFor({ "x-gateway-provider": "sandbox" });
  online = clientFor({ "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1` });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const line = (id: string, content: string): string =>
  JSON.stringify({
    custom_id: id,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "sandbox-echo", messages: [{ role: "user", content }] },
  });
const LINES = `${line("first", "Hello")}\n${line("second", "Goodbye")}\n`;
const upload = (client = offline) =>
  toFile(Buffer.from(LINES), "lines.jsonl").then((file) => client.files.create({ file, purpose: "batch" }));
const TO_OPENAI = () => ({ "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1` });
const outputOf = (id: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${gateway.base}/v1/batches/${id}/output`, { headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers } });
const statusOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 200,
    (thrown: unknown) => (thrown as { status?: number }).status,
  );

describe("files of the offline provider", () => {
  test(verifies("1.tag-files", verifies("D7.7.files", "are uploaded, listed, read, downloaded and deleted")), async () => {
    const file = await upload();
    expect(file).toMatchObject({ object: "file", filename: "lines.jsonl", purpose: "batch", bytes: LINES.length });
    const listed = [];
    for await (const { id } of offline.files.list({ purpose: "batch" })) listed.push(id);
    expect(listed).toContain(file.id);
    expect(await offline.files.retrieve(file.id)).toEqual(file);
    expect(await (await offline.files.content(file.id)).text()).toBe(LINES);
    expect(await offline.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    expect(await statusOf(offline.files.retrieve(file.id))).toBe(404);
  });
  test(verifies("D7.7.purpose", "are refused without a purpose"), async () => {
    const form = new FormData();
    form.set("file", new File(["x"], "x.txt"));
    const answer = await fetch(`${gateway.base}/v1/files`, {
      method: "POST",
      headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox" },
      body: form,
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("purpose");
  });
});

describe("batches of the offline provider", () => {
  test(verifies("D7.8.batches", "answer each line of an uploaded file, and give their output in one call"), async () => {
    const file = await upload();
    const begun = await offline.batches.create({ input_file_id: file.id, endpoint: "/v1/chat/completions", completion_window: "24h" });
    expect(begun).toMatchObject({ object: "batch", status: "validating", input_file_id: file.id });
    const batch = await offline.batches.retrieve(begun.id);
    expect(batch).toMatchObject({ status: "completed", request_counts: { total: 2, completed: 2, failed: 0 } });
    const listed = [];
    for await (const { id } of offline.batches.list()) listed.push(id);
    expect(listed).toContain(begun.id);
    const output = await (await offline.files.content(String(batch.output_file_id))).text();
    const answers = output
      .split("\n")
      .filter(Boolean)
      .map((text) => JSON.parse(text));
    expect(answers.map(({ custom_id: id, response }) => [id, response.body.choices[0].message.content])).toEqual([
      ["first", "Hello"],
      ["second", "Goodbye"],
    ]);
    expect(await (await outputOf(begun.id, { "x-gateway-provider": "sandbox" })).text()).toBe(output);
    expect(await offline.batches.cancel(begun.id)).toMatchObject({ status: "cancelling" });
  });
  test("of a file that holds no requests have failed, and have no output", async () => {
    const file = await toFile(Buffer.from("no json\n"), "bad.jsonl").then((bad) => offline.files.create({ file: bad, purpose: "batch" }));
    const begun = await offline.batches.create({ input_file_id: file.id, endpoint: "/v1/chat/completions", completion_window: "24h" });
    expect(await offline.batches.retrieve(begun.id)).toMatchObject({ status: "failed", errors: { data: [{ code: "invalid_json_line" }] } });
    expect((await outputOf(begun.id, { "x-gateway-provider": "sandbox" })).status).toBe(404);
  });
});

describe("a provider's own wire", () => {
  const FILE = { id: "file-1", object: "file", bytes: 3, created_at: 1, filename: "a.jsonl", purpose: "batch", status: "processed" };
  const seen = (): Pick<Received, "method" | "path"> | undefined => upstream.received.at(-1);

  test("gets an upload as it was made", async () => {
    upstream.answer(jsonAnswer(FILE));
    expect(await upload(online)).toMatchObject(FILE);
    expect(seen()).toMatchObject({ method: "POST", path: "/v1/files" });
    expect(upstream.received.at(-1)?.text()).toContain(LINES);
  });
  test("gives a download through as it is, whatever its type says", async () => {
    for (const type of ["application/octet-stream", "application/json", "application/jsonl"]) {
      upstream.answer({ body: LINES, headers: { "content-type": type } });
      const answer = await online.files.content("file-1");
      expect([type, await answer.text()]).toEqual([type, LINES]);
    }
  });
  test(
    verifies("D7.7.streamed", "is asked once for an upload and for a download, whatever it answers and whoever else there is"),
    async () => {
      upstream.answer(jsonAnswer({ error: { message: "busy" } }, { status: 503 }));
      const target = { provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1` };
      const config = { strategy: { mode: "fallback" }, retry: { attempts: 3 }, targets: [target, target] };
      const insistent = clientFor({ "x-gateway-config": JSON.stringify(config) });
      for (const asked of [() => upload(insistent), () => insistent.files.content("file-1")]) {
        const before = upstream.received.length;
        expect(await statusOf(asked())).toBe(503);
        expect(upstream.received.length - before).toBe(1);
      }
    },
  );
  test("of any size is judged line by line, and is refused by a guardrail of request types", async () => {
    upstream.answer(jsonAnswer(FILE));
    const guardedBy = (checks: object) =>
      clientFor({
        "x-gateway-config": JSON.stringify({
          ...{ provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1` },
          input_guardrails: [{ deny: true, ...checks }],
        }),
      });
    const large = await toFile(Buffer.from(LINES.repeat(20_000)), "large.jsonl");
    const without = (word: string) => guardedBy({ "default.regexMatch": { rule: word, not: true } });
    expect(await without("Nobody says this").files.create({ file: large, purpose: "batch" })).toMatchObject(FILE);
    expect(await statusOf(without("Hello").files.create({ file: large, purpose: "batch" }))).toBe(446);
    const types = guardedBy({ "default.allowedRequestTypes": { blockedTypes: ["uploadFile"] } });
    expect(await statusOf(upload(types))).toBe(446);
  });
  test(verifies("D7.8.two-calls", "is asked for the batch, and then for the file that its output is in"), async () => {
    const before = upstream.received.length;
    upstream.answer(({ path }) =>
      path.endsWith("/content")
        ? { body: LINES, headers: { "content-type": "application/octet-stream" } }
        : jsonAnswer({ id: "batch_1", status: "completed", output_file_id: "file-2" }),
    );
    expect(await (await outputOf("batch_1", { ...TO_OPENAI(), authorization: "Bearer sk-own" })).text()).toBe(LINES);
    const asked = upstream.received.slice(before);
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/batches/batch_1", "GET /v1/files/file-2/content"]);
    expect(asked.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk-own", "Bearer sk-own"]);
  });
  test.each<[string, object, number, number]>([
    ["has no output yet", { id: "batch_1", status: "in_progress", output_file_id: null }, 200, 404],
    ["is not known", { error: { message: "No batch found", type: "invalid_request_error" } }, 404, 404],
    ["is not told", { error: { message: "No" } }, 401, 401],
  ])("a batch that %s has no output", async (_, body, status, told) => {
    upstream.answer(jsonAnswer(body, { status }));
    const before = upstream.received.length;
    const answer = await outputOf("batch_1", TO_OPENAI());
    expect(answer.status).toBe(told);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect(upstream.received.length - before).toBe(1);
  });

  describe("of models", () => {
    const model = { id: "ft:gpt-x:org::1", object: "model", created: 1, owned_by: "org" };
    test(verifies("D7.6.provider", "tells one, and deletes one"), async () => {
      upstream.answer(jsonAnswer(model));
      expect(await online.models.retrieve("ft:gpt-x:org::1")).toMatchObject(model);
      expect(seen()).toMatchObject({ method: "GET", path: "/v1/models/ft%3Agpt-x%3Aorg%3A%3A1" });
      upstream.answer(jsonAnswer({ id: model.id, object: "model", deleted: true }));
      expect(await online.models.delete("ft:gpt-x:org::1")).toMatchObject({ deleted: true });
      expect(seen()).toMatchObject({ method: "DELETE", path: "/v1/models/ft%3Agpt-x%3Aorg%3A%3A1" });
    });
    test(verifies("D7.6.slashes", "takes a name with slashes, encoded or not"), async () => {
      upstream.answer(jsonAnswer({ ...model, id: "meta/llama-x" }));
      for (const name of ["meta/llama-x", "meta%2Fllama-x"]) {
        const answer = await ask(`${gateway.base}/v1/models/${name}`, "GET", GATEWAY_KEY, undefined, TO_OPENAI());
        expect(answer.json).toMatchObject({ id: "meta/llama-x" });
        expect(seen()).toMatchObject({ path: "/v1/models/meta%2Fllama-x" });
      }
    });
    test("takes no name that climbs", async () => {
      const before = upstream.received.length;
      for (const name of ["a%2F..%2Ffiles", "..%2Ffiles", "a/%2e%2e%2ffiles"]) {
        const { status } = await ask(`${gateway.base}/v1/models/${name}`, "GET", GATEWAY_KEY, undefined, TO_OPENAI());
        expect([name, [400, 404].includes(status)]).toEqual([name, true]);
      }
      expect(upstream.received.length).toBe(before);
    });
  });
});

test(verifies("D7.6.catalogue", "a model of the catalogue is read without a provider, by the name that the catalogue lists"), async () => {
  const integration = await ask(`${gateway.base}/admin/v2/integrations`, "POST", ADMIN_KEY, {
    ...{ name: "mine", slug: "mine", ai_provider_id: "openai", key: "sk-of-integration-0123456789", create_default_provider: false },
    configurations: { custom_host: `${upstream.url}/v1` },
  });
  const made = await ask(`${gateway.base}/v2/providers`, "POST", ADMIN_KEY, {
    ...{ name: "mine", slug: "mine", workspace_id: "default", integration_id: "mine" },
  });
  expect([integration.status, made.status]).toEqual([200, 200]);
  const client = clientFor({});
  const [first] = (await client.models.list()).data;
  expect(first?.id).toStartWith("@mine/");
  const before = upstream.received.length;
  expect(await client.models.retrieve(String(first?.id))).toEqual(first as never);
  expect(upstream.received.length).toBe(before);
  expect(await statusOf(client.models.retrieve("no-such-model"))).toBe(404);
  // One that the catalogue does not list is the saved provider's to tell.
  upstream.answer(jsonAnswer({ id: "new-model", object: "model", created: 1, owned_by: "org" }));
  expect(await client.models.retrieve("@mine/new-model")).toMatchObject({ id: "new-model" });
  expect(upstream.received.at(-1)).toMatchObject({ path: "/v1/models/new-model" });
  expect(upstream.received.at(-1)?.headers.get("authorization")).toBe("Bearer sk-of-integration-0123456789");
  const only = { "x-gateway-fetch-integrated-models": "true" };
  expect(await statusOf(client.models.retrieve("@mine/new-model", { headers: only }))).toBe(404);
});
