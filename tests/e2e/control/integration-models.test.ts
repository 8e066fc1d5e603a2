/** What an integration says of models, seen on the wire: which are asked at all, where, with what, and what they cost. */
import http from "node:http";
import { beforeEach, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, itemsOf, type Json, logOf } from "../endpoints/api.ts";
import { type Answer, ask, GATEWAY_KEY, until } from "../process.ts";

const api = forAll({ GATEWAY_TRUSTED_HOSTS: "127.0.0.1,localhost" });
const PATH = "/admin/v2/integrations";
const KEY = "sk-integration-models-key-0123456789";
const COMPLETION: Json = {
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
};
beforeEach(() => api.upstream.answer(jsonAnswer(COMPLETION)));

let made = 0;
/** A provider of an integration of its own, whose models are these. */
async function providerOf(models: Json | null, body: Json = {}): Promise<string> {
  const slug = `models-${++made}`;
  const configurations = { custom_host: `${api.upstream.url}/v1`, ...(body["configurations"] as Json | undefined) };
  const whole = { name: slug, slug, ai_provider_id: "openai", key: KEY, workspace_id: "default", ...body, configurations };
  bodyOf(await api.admin("POST", PATH, whole));
  if (models) bodyOf(await write(slug, models));
  return slug;
}
const write = (slug: string, models: Json): Promise<Answer> => api.admin("PUT", `${PATH}/${slug}/models`, models);
const only = (...names: readonly string[]): Json => ({
  models: names.map((slug) => ({ slug, enabled: true })),
  allow_all_models: false,
});

interface Sent {
  readonly answer: Answer;
  readonly received: readonly Received[];
}
async function send(slug: string, path: string, body: unknown, { method = "POST", headers = {} } = {}): Promise<Sent> {
  const before = api.upstream.received.length;
  const form = body instanceof FormData;
  const response = await fetch(api.gateway.base + path, {
    method,
    headers: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": `@${slug}`,
      ...(!form && body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? JSON.parse(text) : {};
  return { answer: { status: response.status, headers: response.headers, text, json }, received: api.upstream.received.slice(before) };
}
/** What a WebSocket's handshake is answered. */
const upgrade = (slug: string, model: string) =>
  new Promise<{ status: number | undefined; text: string }>((done, failed) => {
    const headers = {
      ...{ "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": `@${slug}`, connection: "Upgrade", upgrade: "websocket" },
      ...{ "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
    };
    const request = http.get(`${api.gateway.base}/v1/realtime?model=${model}`, { headers }, (response) => {
      let text = "";
      response.on("data", (piece) => (text += String(piece)));
      response.on("end", () => done({ status: response.statusCode, text }));
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      done({ status: response.statusCode, text: "" });
    });
    request.on("error", failed);
  });
const MESSAGES = [{ role: "user", content: "Hi" }];
const chat = (slug: string, model: string, more: Json = {}) => send(slug, "/v1/chat/completions", { model, messages: MESSAGES, ...more });

describe("which models may be asked", () => {
  const form = (fields: Readonly<Record<string, string>>): FormData => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new Blob(["RIFF"]), "a.wav");
    return body;
  };
  /** How each names a model. */
  const REQUESTS: Readonly<Record<string, (model: string) => readonly [path: string, body: unknown]>> = {
    chat: (model) => ["/v1/chat/completions", { model, messages: MESSAGES }],
    messages: (model) => ["/v1/messages", { model, max_tokens: 5, messages: MESSAGES }],
    responses: (model) => ["/v1/responses", { model, input: "Hi" }],
    completions: (model) => ["/v1/completions", { model, prompt: "Hi" }],
    gemini: (model) => [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: "Hi" }] }] }],
    embeddings: (model) => ["/v1/embeddings", { model, input: "Hi" }],
    images: (model) => ["/v1/images/generations", { model, prompt: "Hi" }],
    speech: (model) => ["/v1/audio/speech", { model, input: "Hi", voice: "alloy" }],
    "a form": (model) => ["/v1/audio/transcriptions", form({ model })],
    "fine-tuning": (model) => ["/v1/fine_tuning/jobs", { model, training_file: "file-1" }],
    assistants: (model) => ["/v1/assistants", { model }],
    "what passes": (model) => ["/v1/proxy/chat/completions", { model, messages: MESSAGES }],
    "what passes, in its path": (model) => [`/v1/proxy/deployments/${model}/answers`, { messages: MESSAGES }],
    "a path nobody mounts": (model) => ["/v1/answers", { model, question: "Hi" }],
  };
  for (const [what, request] of Object.entries(REQUESTS))
    test(verifies("I.models.everywhere", `holds for ${what}`), async () => {
      const slug = await providerOf(only("fine"));
      const refused = await send(slug, ...request("bad"));
      expect([refused.answer.status, refused.received.length]).toEqual([403, 0]);
      expect(refused.answer.text).toContain(`The model bad may not be asked of the provider @${slug}`);
      expect((await send(slug, ...request("fine"))).received).not.toEqual([]);
    });

  const NAMELESS: Readonly<Record<string, readonly [path: string, body: unknown]>> = {
    "a chat without a model": ["/v1/chat/completions", { messages: MESSAGES }],
    "a form without a model": ["/v1/audio/transcriptions", form({ language: "en" })],
    "what passes without a model": ["/v1/proxy/messages/batches", { requests: [{ params: { model: "bad" } }] }],
    "a batch, whose file names them": [
      "/v1/batches",
      { input_file_id: "file-1", endpoint: "/v1/chat/completions", completion_window: "24h" },
    ],
    "a run, whose assistant names one": ["/v1/threads/thread_x/runs", { assistant_id: "asst_x" }],
    "a thread that is run": ["/v1/threads/runs", { assistant_id: "asst_x" }],
    "a run that passes": ["/v1/proxy/threads/runs", { assistant_id: "asst_x" }],
    "a fine-tuning job without a model": ["/v1/proxy/fine_tuning/jobs", { training_file: "file-1" }],
    "a saved prompt": ["/v1/responses", { prompt: { id: "pmpt_x" } }],
    "an eval": ["/v1/evals/eval_x/runs", { name: "mine", data_source: { type: "responses" } }],
    "a model beside one that is allowed": ["/v1/chat/completions", { model: "fine", models: ["fine", "bad"], messages: MESSAGES }],
    "the model of a tool": ["/v1/responses", { model: "fine", input: "Hi", tools: [{ type: "image_generation", model: "bad" }] }],
    "what writes down a session": [
      "/v1/realtime/client_secrets",
      { session: { type: "realtime", model: "fine", audio: { input: { transcription: { model: "bad" } } } } },
    ],
    "what writes down an older session": ["/v1/realtime/sessions", { model: "fine", input_audio_transcription: { model: "bad" } }],
    "a tool of a session": ["/v1/realtime/client_secrets", { session: { model: "fine", tools: [{ type: "mcp", model: "bad" }] } }],
  };
  for (const [what, [path, body]] of Object.entries(NAMELESS))
    test(verifies("I.models.everywhere", `holds for ${what}`), async () => {
      const slug = await providerOf(only("fine"));
      const { answer, received } = await send(slug, path, body);
      expect([answer.status, received.length]).toEqual([403, 0]);
      expect(answer.text).toContain(`@${slug}`);
    });
  /** Servers differ in which of these they heed. */
  const TWICE_NAMED: readonly Json[] = [
    { Model: "bad" },
    { MODELS: ["fine", "bad"] },
    { "model\u017f": ["bad"] },
    { plugins: [{ id: "web" }, { id: "fusion", model: "bad" }] },
    { Plugins: [{ Model: "bad" }] },
    { run: { model: "bad" } },
    { input_audio_transcription: { model: "bad" } },
    { session: { model: "bad" } },
    { session: { audio: { input: { transcription: { model: "bad" } } } } },
    { data_source: { model: "bad" } },
  ];
  for (const path of ["/v1/chat/completions", "/v1/proxy/chat/completions", "/v1/proxy/answers"])
    test(verifies("I.models.everywhere", `holds for every model that a body names on ${path}`), async () => {
      const slug = await providerOf(only("fine"));
      for (const more of TWICE_NAMED) {
        const { answer, received } = await send(slug, path, { model: "fine", messages: MESSAGES, ...more });
        expect([more, answer.status, received.length]).toEqual([more, 403, 0]);
        expect(answer.text).toContain("The model bad may not be asked");
      }
      const said = { model: "fine", Model: "fine", run: { model: "fine" }, metadata: { model: "T" }, messages: MESSAGES };
      expect((await send(slug, path, said)).received).toHaveLength(1);
    });
  const twoModels = (name: string, file?: string): FormData => {
    const body = form({ model: "fine" });
    if (file === undefined) body.append(name, "bad");
    else body.append(name, new Blob(["bad"]), file);
    return body;
  };
  for (const path of ["/v1/audio/transcriptions", "/v1/images/edits", "/v1/videos", "/v1/proxy/audio/transcriptions", "/v1/proxy/answers"])
    test(verifies("I.models.everywhere", `holds for a form to ${path}, where a second model is refused however it is called`), async () => {
      const slug = await providerOf(only("fine"));
      for (const body of [twoModels("Model"), twoModels("model[]"), twoModels("MODELS"), twoModels("model[0]"), twoModels("model", "m")]) {
        const { answer } = await send(slug, path, body);
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("two models")]);
      }
      for (const name of ["Model", "model[]"]) expect((await send(slug, path, form({ [name]: "bad" }))).answer.status).toBe(403);
      expect((await send(slug, path, form({ model: "fine", model_version: "2" }))).received).toHaveLength(1);
    });
  test(verifies("I.models.everywhere", "holds for sockets, and not for what asks no model"), async () => {
    const slug = await providerOf(only("fine"));
    const refused = await upgrade(slug, "bad");
    expect([refused.status, refused.text.includes(`The model bad may not be asked of the provider @${slug}`)]).toEqual([403, true]);
    expect((await upgrade(slug, "fine")).status).not.toBe(403);
    expect((await send(slug, "/v1/files", undefined, { method: "GET" })).received).toHaveLength(1);
    expect((await send(slug, "/v1/proxy/anything", undefined, { method: "GET" })).received).toHaveLength(1);
  });
  test(
    verifies(
      "I.models.everywhere",
      "holds for a deployment that the request names; one of the integration's own serves what it is saved for",
    ),
    async () => {
      const slug = await providerOf(only("fine"), { ai_provider_id: "azure-openai" });
      const asked = (deployment: string) =>
        send(
          slug,
          "/v1/chat/completions",
          { model: "fine", messages: MESSAGES },
          { headers: { "x-gateway-azure-deployment-id": deployment } },
        );
      const refused = await asked("bad");
      expect([refused.answer.status, refused.received.length]).toEqual([403, 0]);
      expect(refused.answer.text).toContain(`The model bad may not be asked of the provider @${slug}`);
      expect((await asked("fine")).received).toHaveLength(1);
      const own = await providerOf(only("fine"), { ai_provider_id: "azure-openai", configurations: { azure_deployment_id: "ours" } });
      expect((await chat(own, "fine")).received).toHaveLength(1);
    },
  );
  test("an integration that says nothing of models passes all of it on", async () => {
    const slug = await providerOf(null);
    for (const [path, body] of Object.values(NAMELESS)) expect([path, (await send(slug, path, body)).received.length]).toEqual([path, 1]);
  });

  test(verifies("I.models.targets", "is judged for each target on its own, after its parameters; a refused one falls over"), async () => {
    const [closed, open] = [await providerOf(only("fine")), await providerOf(null)];
    const config = (targets: readonly Json[], strategy: Json = { mode: "fallback" }) => ({
      headers: { "x-gateway-provider": "", "x-gateway-config": JSON.stringify({ strategy, targets }) },
    });
    const asked = { model: "bad", messages: MESSAGES };
    const first = await send(closed, "/v1/chat/completions", asked, config([{ provider: `@${closed}` }, { provider: `@${open}` }]));
    expect([first.answer.status, first.received.length]).toEqual([200, 1]);
    expect(first.answer.headers.get("x-gateway-last-used-option-index")).toBe("config.targets[1]");
    const overridden = config([{ provider: `@${closed}`, override_params: { model: "fine" } }]);
    expect((await send(closed, "/v1/chat/completions", asked, overridden)).received.map((one) => at(one.json(), "model"))).toEqual([
      "fine",
    ]);
    const spoilt = config([{ provider: `@${closed}`, override_params: { model: "bad" } }]);
    expect((await send(closed, "/v1/chat/completions", { ...asked, model: "fine" }, spoilt)).answer.status).toBe(403);
    const balanced = config(
      [
        { provider: `@${closed}`, weight: 1 },
        { provider: `@${open}`, weight: 0 },
      ],
      { mode: "loadbalance" },
    );
    expect((await send(closed, "/v1/chat/completions", asked, balanced)).answer.status).toBe(403);
  });

  test(verifies("I.models.catalogue", "is what the models list holds"), async () => {
    const slug = await providerOf({
      models: [
        { slug: "mine", enabled: true, is_custom: true },
        { slug: "gone", enabled: false },
      ],
      allow_all_models: false,
    });
    const listed = async () => itemsOf(await api.data("GET", `/v1/models?provider=${slug}`)).map(({ id }) => id);
    expect(await listed()).toEqual([`@${slug}/mine`]);
    const named = await send(slug, "/v1/models", undefined, { method: "GET" });
    expect([itemsOf(named.answer).map(({ id }) => id), named.received.length]).toEqual([[`@${slug}/mine`], 0]);
    const google = await send(slug, "/v1beta/models", undefined, { method: "GET" });
    expect(at(google.answer.json, "models", 0, "name")).toBe(`models/@${slug}/mine`);
    bodyOf(await write(slug, { models: [], allow_all_models: true }));
    expect(await listed()).toContain(`@${slug}/mine`);
    expect((await listed()).length).toBeGreaterThan(3);
    expect(await listed()).not.toContain(`@${slug}/gone`);
  });
});

test(
  verifies("I.models.catalogue", "is not there for a workspace that may not use the integration: it is told so, limited or not"),
  async () => {
    for (const [slug, models] of [
      ["withheld-limited", only("fine")],
      ["withheld-open", { models: [] }],
    ] as const) {
      const configurations = { custom_host: `${api.upstream.url}/v1` };
      bodyOf(await api.admin("POST", PATH, { name: slug, slug, ai_provider_id: "openai", key: KEY, configurations }));
      bodyOf(await write(slug, models));
      const grant = (enabled: boolean) => api.admin("PUT", `${PATH}/${slug}/workspaces`, { workspaces: [{ id: "default", enabled }] });
      bodyOf(await grant(true));
      expect((await send(slug, "/v1/models", undefined, { method: "GET" })).answer.status).toBe(200);
      bodyOf(await grant(false));
      const listed = (path: string) => send(slug, path, undefined, { method: "GET" });
      await until("it is withheld", async () => (await listed("/v1/models")).answer.status === 403, 1_000);
      const refused = await listed("/v1beta/models");
      expect([refused.answer.status, refused.received.length]).toEqual([403, 0]);
    }
  },
);

describe("a model of one's own", () => {
  const elsewhere = (path: string): string => `${api.upstream.url}/${path}`;
  test(verifies("I.models.own-host", "is asked at its own host, with its own headers"), async () => {
    const headers = { "X-Tenant": "acme", "x-secret-token": "very-secret-token-1234" };
    const slug = await providerOf(null, { configurations: { custom_headers: { "x-all": "every model", "x-tenant": "all" } } });
    const mine = {
      slug: "mine",
      enabled: true,
      is_custom: true,
      configurations: { custom_host: elsewhere("mine/v1"), custom_headers: headers },
    };
    bodyOf(await write(slug, { models: [mine], key: KEY }));
    const [sent] = (await chat(slug, "mine")).received;
    expect(sent?.path).toBe("/mine/v1/chat/completions");
    expect(at(sent?.json(), "model")).toBe("mine");
    const seen = (one: Received | undefined) =>
      ["x-tenant", "x-secret-token", "x-all", "authorization"].map((name) => one?.headers.get(name));
    expect(seen(sent)).toEqual(["acme", "very-secret-token-1234", "every model", `Bearer ${KEY}`]);
    const [other] = (await chat(slug, "gpt-4o")).received;
    expect([other?.path, ...seen(other)]).toEqual(["/v1/chat/completions", "all", null, "every model", `Bearer ${KEY}`]);
    const upload = new FormData();
    upload.append("model", "mine");
    upload.append("file", new Blob(["RIFF"]), "a.wav");
    expect((await send(slug, "/v1/audio/transcriptions", upload)).received[0]?.path).toBe("/mine/v1/audio/transcriptions");
  });

  test(verifies("I.models.secrets", "keeps its headers to itself, and moves no secret to another host"), async () => {
    const slug = await providerOf(null);
    const token = "very-secret-token-1234";
    const mine = (configurations: Json): Json => ({ models: [{ slug: "mine", enabled: true, is_custom: true, configurations }] });
    const put = mine({ custom_host: elsewhere("mine"), custom_headers: { "x-token": token } });
    bodyOf(await write(slug, { ...put, key: KEY }));
    const read = await api.admin("GET", `${PATH}/${slug}/models`);
    const shown = at(bodyOf(read), "models", 0, "configurations", "custom_headers");
    expect(shown).toEqual({ "x-token": expect.stringMatching(/^ve\*+34$/) });
    expect(read.text).not.toContain(token);
    bodyOf(await write(slug, mine({ custom_host: elsewhere("mine"), custom_headers: shown })));
    expect((await chat(slug, "mine")).received[0]?.headers.get("x-token")).toBe(token);
    const port = new URL(api.upstream.url).port;
    const away = `http://localhost:${port}/away`;
    const moved = await write(slug, mine({ custom_host: away, custom_headers: shown }));
    expect([moved.status, moved.text.includes(token)]).toEqual([400, false]);
    const keyless = await write(slug, mine({ custom_host: away, custom_headers: { "x-token": "another" } }));
    expect([keyless.status, at(keyless.json, "error", "param")]).toEqual([400, "models[0].configurations.custom_host"]);
    expect((await write(slug, { ...mine({ custom_host: away, custom_headers: {} }), key: "sk-wrong" })).status).toBe(400);
    expect((await write(slug, { ...mine({ custom_host: elsewhere("mine"), custom_headers: {} }), key: KEY })).status).toBe(200);
  });

  test(
    verifies("I.models.refused", "has so many headers with all others: counted before any is judged, and with those that stay"),
    async () => {
      const slug = await providerOf(null);
      const models = (from: number, many: number, headers: Json = { "x-a": "1", "x-b": "2" }): Json => ({
        models: Array.from({ length: many }, (_, index) => ({
          ...{ slug: `mine-${from + index}`, enabled: true, is_custom: true },
          configurations: { custom_headers: headers },
        })),
      });
      const refused = await write(slug, models(0, 950, { "content-length": "1", "x-b": "2" }));
      expect([refused.status, at(refused.json, "error", "param")]).toEqual([400, "models"]);
      expect(refused.text).toContain("more than 1000 headers");
      bodyOf(await write(slug, models(0, 499)));
      expect((await write(slug, models(499, 2))).status).toBe(400);
      bodyOf(await write(slug, models(499, 1)));
      bodyOf(await write(slug, models(0, 1, {})));
      bodyOf(await write(slug, { models: [{ slug: "mine-1", enabled: false }] }));
      bodyOf(await write(slug, models(500, 1)));
    },
  );

  test(verifies("I.models.secrets", "takes its key to another path of the same host only where it is given again"), async () => {
    const slug = await providerOf(null);
    const mine = (host: string, more: Json = {}): Json => ({
      models: [{ slug: "mine", enabled: true, is_custom: true, configurations: { custom_host: host } }],
      ...more,
    });
    const steal = elsewhere("steal");
    const refused = await write(slug, mine(steal));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("unless it is given again")]);
    expect((await chat(slug, "mine")).received[0]?.path).toBe("/v1/chat/completions");
    expect((await api.admin("PUT", `${PATH}/${slug}`, { configurations: { custom_host: steal } })).status).toBe(400);
    bodyOf(await write(slug, mine(elsewhere("v1"))));
    bodyOf(await write(slug, mine(steal, { key: KEY })));
    bodyOf(await write(slug, mine(steal)));
    expect((await chat(slug, "mine")).received[0]?.path).toBe("/steal/chat/completions");
    const keyless = await providerOf(null, { key: undefined, configurations: { custom_headers: { "x-secret": "of all models" } } });
    expect((await write(keyless, mine(steal))).status).toBe(400);
  });

  test(verifies("I.models.secrets", "whose host repeats its header shows it neither to the client nor to the log"), async () => {
    const token = "very-secret-token-5678";
    const slug = await providerOf({
      models: [{ slug: "mine", enabled: true, is_custom: true, configurations: { custom_headers: { "x-token": token } } }],
    });
    api.upstream.answer(jsonAnswer({ error: { message: `no such token: ${token}` } }, { status: 401 }));
    const { answer } = await chat(slug, "mine");
    expect([answer.status, answer.text.includes(token)]).toEqual([401, false]);
    const log = await logOf(api, String(answer.headers.get("x-gateway-request-id")));
    expect(JSON.stringify(log)).not.toContain(token);
  });

  const cost = async (sent: Sent): Promise<unknown> => {
    const log = await logOf(api, String(sent.answer.headers.get("x-gateway-request-id")));
    return at(log, "metrics", "cost") ?? at(log, "cost") ?? at(log, "data", "cost");
  };
  test(verifies("I.models.price", "costs its own price, or its base's, times what is agreed on"), async () => {
    api.upstream.answer(({ json }) => jsonAnswer({ ...COMPLETION, model: at(json(), "model") }));
    const priced = (slug: string, input: number, output: number): Json => ({
      ...{ slug, enabled: true, is_custom: true },
      pricing_config: { type: "static", pay_as_you_go: { request_token: { price: input }, response_token: { price: output } } },
    });
    const tuned = { slug: "ft:gpt-4o:acme", enabled: true, is_finetune: true, base_model_slug: "gpt-4o" };
    const slug = await providerOf({ models: [priced("mine", 0.5, 2), tuned] });
    const listed = Number(await cost(await chat(slug, "gpt-4o")));
    expect(listed).toBeGreaterThan(0);
    expect(await cost(await chat(slug, "mine"))).toBeCloseTo(100 * 0.5 + 10 * 2);
    expect(await cost(await chat(slug, "ft:gpt-4o:acme"))).toBeCloseTo(listed);
    const adjustments = { multiplier: { default: 2, response_token: 3 } };
    bodyOf(await api.admin("PUT", `${PATH}/${slug}`, { pricing_adjustments: adjustments }));
    expect(bodyOf(await api.admin("GET", `${PATH}/${slug}`))["pricing_adjustments"]).toEqual(adjustments);
    await until("it costs more", async () => Number(await cost(await chat(slug, "mine"))) === 2 * 50 + 3 * 20, 5_000);
    expect((await api.admin("PUT", `${PATH}/${slug}`, { pricing_adjustments: { multiplier: { default: -1 } } })).status).toBe(400);
    expect((await api.admin("PUT", `${PATH}/${slug}`, { pricing_adjustments: { multiplier: { unknown: 1 } } })).status).toBe(400);
  });
});

test("an integration's own headers are sealed and shown masked, and stay when they are left out", async () => {
  const slug = await providerOf(null, { configurations: { custom_headers: { "x-all": "secret-of-all-models" } } });
  const read = await api.admin("GET", `${PATH}/${slug}`);
  expect([read.text.includes("secret-of-all-models"), at(bodyOf(read), "configurations", "custom_headers", "x-all")]).toEqual([
    false,
    "se*******ls",
  ]);
  bodyOf(await api.admin("PUT", `${PATH}/${slug}`, { configurations: { custom_host: `${api.upstream.url}/v1` } }));
  expect((await chat(slug, "gpt-4o")).received[0]?.headers.get("x-all")).toBe("secret-of-all-models");
  bodyOf(await api.admin("PUT", `${PATH}/${slug}`, { configurations: { custom_host: `${api.upstream.url}/v1`, custom_headers: null } }));
  await until("it is gone", async () => (await chat(slug, "gpt-4o")).received[0]?.headers.get("x-all") === null, 1_000);
  const body = { name: "x", ai_provider_id: "openai", configurations: { custom_headers: { host: "a" } } };
  expect(at((await ask(`${api.gateway.base}${PATH}`, "POST", "none", body)).json, "error", "code")).toBe("AB05");
  expect((await api.admin("POST", PATH, body)).status).toBe(400);
});

test(
  verifies(
    "1.tag-pricing",
    verifies("I.pricing", "the price of a model is told to anybody, in cents per token; of one that nobody lists, 404"),
  ),
  async () => {
    const price = async (path: string) => {
      const response = await fetch(`${api.gateway.base}/v2/model-configs/pricing/${path}`);
      return { status: response.status, body: (await response.json()) as Json };
    };
    const { status, body } = await price("openai/gpt-4o");
    expect([status, at(body, "currency")]).toEqual([200, "USD"]);
    expect(at(body, "pay_as_you_go", "request_token", "price")).toBeCloseTo(0.00025, 8);
    expect(at(body, "pay_as_you_go", "response_token", "price")).toBeCloseTo(0.001, 8);
    expect(at(body, "pay_as_you_go", "cache_read_input_token", "price")).toBeCloseTo(0.000125, 8);
    for (const unknown of ["openai/no-such-model", "nobody/gpt-4o", `openai/${"x".repeat(300)}`])
      expect(await price(unknown)).toEqual({ status: 404, body: { error: expect.any(String) } });
  },
);
