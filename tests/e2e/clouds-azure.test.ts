/**
 * The headers of cloud A (hosted, OpenAI-style), each seen on the wire; the same fields in a
 * config and saved; and whose credentials go where.
 */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json } from "./endpoints/api.ts";
import { type Answer, GATEWAY_KEY } from "./process.ts";

const KEY = "azure-key-0123456789abcdef";
const TOKEN = "entra-token-0123456789abcdef";
const CHAT: Json = { model: "gpt", messages: [{ role: "user", content: "Hello" }] };
const FILTERED = { hate: { filtered: false, severity: "safe" } };
const COMPLETION: Json = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-2024-11-20",
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERED }],
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop", content_filter_results: FILTERED }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

/* ── the running gateway, and an upstream in Azure's place ───────────────────────────────────────────────────── */

const api = forAll();
type Headers = Readonly<Record<string, string>>;
const host = (): string => `${api.upstream.url}/openai`;
/** Cloud A's headers, with the upstream as private endpoint of the resource. */
const azure = (more: Headers = {}): Headers => ({
  "x-gateway-provider": "azure-openai",
  "x-gateway-custom-host": host(),
  authorization: `Bearer ${KEY}`,
  ...more,
});
const last = (): Received => api.upstream.received.at(-1) ?? expect.unreachable();
const model = (request: Received): unknown => at(request.json(), "model");
const credentials = ({ headers }: Received): unknown => ({ key: headers.get("api-key"), bearer: headers.get("authorization") });

async function chat(headers: Headers, body: Json = CHAT, search = ""): Promise<Received> {
  api.upstream.answer(jsonAnswer(COMPLETION));
  bodyOf(await api.data("POST", `/v1/chat/completions${search}`, headers, body));
  return last();
}
/** What an answer of the gateway's own says, after nothing was sent. */
async function refused(headers: Headers): Promise<unknown> {
  const before = api.upstream.received.length;
  const answer = await api.data("POST", "/v1/chat/completions", headers, CHAT);
  expect(api.upstream.received.length).toBe(before);
  return [answer.status, at(answer.json, "error", "message"), at(answer.json, "error", "param")];
}

describe("the headers of cloud A", () => {
  test(verifies("5.cloud-a-headers", "put deployment and API version into the URL, and the key into Azure's own header"), async () => {
    const request = await chat(
      azure({
        "x-gateway-azure-resource-name": "contoso",
        "x-gateway-azure-deployment-id": "prod-gpt",
        "x-gateway-azure-api-version": "2024-10-21",
        "x-gateway-azure-model-name": "gpt-4o",
      }),
    );
    expect(request.method).toBe("POST");
    expect(request.path).toBe("/openai/deployments/prod-gpt/chat/completions?api-version=2024-10-21");
    expect(request.json()).toEqual({ ...CHAT, model: "gpt-4o" });
    expect(credentials(request)).toEqual({ key: KEY, bearer: null });
    expect([...request.headers.keys()].filter((name) => name.startsWith("x-gateway-"))).toEqual(["x-gateway-hop"]);
    expect(JSON.stringify([...request.headers])).not.toContain(GATEWAY_KEY);
  });
  test("deployment-id names the deployment in the path, and in the body of the v1 API", async () => {
    const dated = azure({ "x-gateway-azure-api-version": "2024-10-21" });
    expect((await chat(dated)).path).toBe("/openai/deployments/gpt/chat/completions?api-version=2024-10-21");
    expect((await chat({ ...dated, "x-gateway-azure-deployment-id": "other" })).path).toStartWith("/openai/deployments/other/");
    expect(model(await chat(azure()))).toBe("gpt");
    expect(model(await chat(azure({ "x-gateway-azure-deployment-id": "other" })))).toBe("other");
  });
  test("api-version chooses between dated versions and v1, which is what no version means", async () => {
    const versions = ["2024-10-21", "2025-04-01-preview", "v1", "preview"];
    const paths = await inTurn(versions, async (version) => (await chat(azure({ "x-gateway-azure-api-version": version }))).path);
    expect([...paths, (await chat(azure())).path]).toEqual([
      "/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
      "/openai/deployments/gpt/chat/completions?api-version=2025-04-01-preview",
      "/openai/v1/chat/completions",
      "/openai/v1/chat/completions?api-version=preview",
      "/openai/v1/chat/completions",
    ]);
  });
  test("api-version takes the place of the client's own, and leaves the rest of the query alone", async () => {
    const path = async (headers: Headers) => (await chat(azure(headers), CHAT, "?trace=a%20b&api-version=2024-06-01")).path;
    expect(await path({ "x-gateway-azure-api-version": "2024-10-21" })).toEndWith("/completions?api-version=2024-10-21&trace=a%20b");
    expect(await path({ "x-gateway-azure-api-version": "v1" })).toBe("/openai/v1/chat/completions?trace=a%20b");
    expect(await path({})).toBe("/openai/deployments/gpt/chat/completions?api-version=2024-06-01&trace=a%20b");
  });
  test("model-name is the model that the body names where the path has the deployment", async () => {
    const dated = azure({ "x-gateway-azure-api-version": "2024-10-21", "x-gateway-azure-deployment-id": "prod-gpt" });
    expect(model(await chat(dated))).toBe("gpt");
    expect(model(await chat({ ...dated, "x-gateway-azure-model-name": "gpt-4.1" }))).toBe("gpt-4.1");
  });
  test(verifies("D2.cloud-a-token", "ad-token goes as bearer, in place of the key"), async () => {
    for (const token of [TOKEN, `Bearer ${TOKEN}`])
      expect(credentials(await chat(azure({ "x-gateway-azure-ad-token": token })))).toEqual({ key: null, bearer: `Bearer ${TOKEN}` });
  });
  test("bodies that need no change arrive as they were written", async () => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    const text = '{ "model":"gpt",  "x_new": 1.0, "messages":[{"role":"developer","content":"\\u00e9"}]}';
    const response = await fetch(`${api.gateway.base}/v1/chat/completions`, {
      method: "POST",
      headers: { ...azure(), "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json" },
      body: text,
    });
    expect([last().text(), await response.json()]).toEqual([text, COMPLETION]);
  });
  test.each<[string, Headers, string]>([
    ["a resource that is another host", { "x-gateway-azure-resource-name": "evil.example/" }, "azure_resource_name"],
    ["a resource with a dot", { "x-gateway-azure-resource-name": "a.b" }, "azure_resource_name"],
    ["a deployment that is a path", { "x-gateway-azure-deployment-id": "../files" }, "azure_deployment_id"],
    ["a version that is a query", { "x-gateway-azure-api-version": "v1&x=y" }, "azure_api_version"],
    ["managed identity, which is not offered", { "x-gateway-azure-auth-mode": "managed" }, "azure_auth_mode"],
  ])("%s is refused, and nothing is sent", async (_, headers, param) => {
    const [status, message, at] = (await refused(azure(headers))) as unknown[]; // status, message, param
    expect([status, at]).toEqual([400, param]);
    expect(String(message)).toStartWith(`The target azure-openai is not complete: ${param}: expected string to match`);
  });
  test("what is missing is said in a sentence", async () => {
    const { "x-gateway-custom-host": _, ...nowhere } = azure();
    expect(await refused(nowhere)).toEqual([
      400,
      "The target azure-openai is not complete: it has no address; beside a saved credential, save azure_resource_name or custom_host, else send x-gateway-azure-resource-name or x-gateway-custom-host.",
      "azure_resource_name",
    ]);
    expect(await refused(azure({ "x-gateway-azure-auth-mode": "entra", "x-gateway-azure-entra-tenant-id": "t" }))).toEqual([
      400,
      "The target azure-openai is not complete: azure_auth_mode entra needs azure_entra_client_id.",
      "azure_entra_client_id",
    ]);
    expect(await refused(azure({ "x-gateway-azure-auth-mode": "workload" }))).toMatchObject([400, expect.any(String), "custom_host"]);
  });
});

/** One after the other: each request is the last one received. */
async function inTurn<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}

describe("a stream of Azure", () => {
  const chunk = (more: Json): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "gpt-4o", ...more })}\n\n`;
  const PROMPT = chunk({ id: "", model: "", created: 0, object: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  const TEXT = chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] });
  const LATER = chunk({ id: "", choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 0 } }] });
  const END = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  const USAGE = chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } });
  const DONE = "data: [DONE]\n\n";
  const streamed = async (headers: Headers): Promise<string> => {
    const answer = await api.data("POST", "/v1/chat/completions", azure(headers), { ...CHAT, stream: true });
    expect(answer.status).toBe(200);
    return answer.text;
  };

  test("passes as it is, filter results before and behind the text included; usage that only the gateway asked for is kept back", async () => {
    api.upstream.answer(sseAnswer([PROMPT, TEXT, LATER, END, USAGE, DONE].join("")));
    expect(await streamed({ "x-gateway-azure-api-version": "2024-10-21" })).toBe([PROMPT, TEXT, LATER, END, DONE].join(""));
    expect(at(last().json(), "stream_options")).toEqual({ include_usage: true });
  });
  test("of a version that cannot say its usage is not asked for it", async () => {
    api.upstream.answer(sseAnswer([PROMPT, TEXT, END, DONE].join("")));
    expect(await streamed({ "x-gateway-azure-api-version": "2024-06-01" })).toBe([PROMPT, TEXT, END, DONE].join(""));
    expect(last().json()).toEqual({ ...CHAT, stream: true });
  });
});

describe("an error of Azure", () => {
  test("keeps its status, code and parameter, and what stands beside them", async () => {
    const filtered = {
      message: "The prompt was filtered.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation" },
    };
    api.upstream.answer(jsonAnswer({ error: filtered }, { status: 400 }));
    expect(bodyOf(await api.data("POST", "/v1/chat/completions", azure(), CHAT), 400)["error"]).toEqual({
      message: "azure-openai error: The prompt was filtered.",
      type: "invalid_request_error",
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation" },
    });
  });
});

describe("other operations", () => {
  const DATED = { "x-gateway-azure-deployment-id": "d", "x-gateway-azure-api-version": "2024-10-21" };
  const IMAGES = { created: 1, data: [{ b64_json: "AA==" }] };
  const LIST = { object: "list", data: [], first_id: null, last_id: null, has_more: false };
  const BATCH = { id: "b", object: "batch", status: "validating", created_at: 1, endpoint: "/chat/completions", input_file_id: "f" };
  test.each<[string, string, Json | undefined, Json, string]>([
    ["POST", "/v1/images/generations", { prompt: "a hat" }, IMAGES, "/openai/deployments/d/images/generations?api-version=2024-10-21"],
    ["POST", "/v1/batches", { input_file_id: "f" }, BATCH, "/openai/batches?api-version=2024-10-21"],
    ["GET", "/v1/batches/b", undefined, BATCH, "/openai/batches/b?api-version=2024-10-21"],
    ["GET", "/v1/assistants?limit=5", undefined, LIST, "/openai/assistants?api-version=2024-10-21&limit=5"],
    ["GET", "/v1/vector_stores/vs/files", undefined, LIST, "/openai/vector_stores/vs/files?api-version=2024-10-21"],
    ["GET", "/v1/models", undefined, LIST, "/openai/models?api-version=2024-10-21"],
    ["DELETE", "/v1/responses/r", undefined, { id: "r", deleted: true }, "/openai/responses/r?api-version=2024-10-21"],
  ])("%s %s reaches the resource", async (method, path, body, answer, sent) => {
    api.upstream.answer(jsonAnswer(answer));
    expect(bodyOf(await api.data(method, path, azure(DATED), body))).toMatchObject(answer);
    expect([last().method, last().path, credentials(last())]).toEqual([method, sent, { key: KEY, bearer: null }]);
  });
  test("a form reaches its deployment with its bytes as they were", async () => {
    api.upstream.answer(jsonAnswer(IMAGES));
    const form = new FormData();
    form.append("prompt", "a hat");
    form.append("image", new File([new Uint8Array([137, 80, 0, 255])], "a.png", { type: "image/png" }));
    const sent = new Response(form);
    const [type, bytes] = [sent.headers.get("content-type") ?? "", await sent.bytes()];
    const response = await fetch(`${api.gateway.base}/v1/images/edits`, {
      method: "POST",
      headers: { ...azure(DATED), "x-gateway-api-key": GATEWAY_KEY, "content-type": type },
      body: bytes,
    });
    expect([response.status, last().path]).toEqual([200, "/openai/deployments/d/images/edits?api-version=2024-10-21"]);
    expect([last().headers.get("content-type"), Buffer.compare(last().body, bytes)]).toEqual([type, 0]);
  });
});

/* ── the same fields elsewhere ───────────────────────────────────────────────────────────────────────────────── */

const withConfig = (config: Json | string, more: Headers = {}): Headers => ({
  "x-gateway-config": typeof config === "string" ? config : JSON.stringify(config),
  ...more,
});
const FIELDS = {
  azure_deployment_id: "from-fields",
  azure_api_version: "2025-01-01-preview",
  azure_model_name: "gpt-4o",
};
const fromFields = (request: Received): void => {
  expect(request.path).toBe("/openai/deployments/from-fields/chat/completions?api-version=2025-01-01-preview");
  expect(model(request)).toBe("gpt-4o");
};

describe("the fields of cloud A in a config", () => {
  test("mean what the headers mean, and win over them", async () => {
    const config = { provider: "azure-openai", api_key: KEY, custom_host: host(), ...FIELDS };
    const request = await chat(withConfig(config, { "x-gateway-azure-deployment-id": "from-header" }));
    fromFields(request);
    expect(credentials(request)).toEqual({ key: KEY, bearer: null });
  });
  test("are each target's own: in a fallback, no credential reaches the next target", async () => {
    const config = {
      strategy: { mode: "fallback" },
      targets: [
        { provider: "azure-openai", api_key: KEY, custom_host: `${host()}/one`, ...FIELDS },
        { provider: "azure-openai", azure_ad_token: TOKEN, custom_host: `${host()}/two` },
        { provider: "azure-openai", api_key: "third-key", custom_host: `${host()}/three` },
        { provider: "openai", api_key: "sk-fourth", custom_host: `${host()}/four` },
      ],
    };
    const before = api.upstream.received.length;
    api.upstream.answer(({ path }) =>
      path.startsWith("/openai/four") ? jsonAnswer(COMPLETION) : jsonAnswer({ error: { message: "busy" } }, { status: 503 }),
    );
    bodyOf(await api.data("POST", "/v1/chat/completions", withConfig(config), CHAT));
    const tries = api.upstream.received.slice(before);
    expect(tries.map((one) => [one.path, credentials(one), model(one)])).toEqual([
      ["/openai/one/deployments/from-fields/chat/completions?api-version=2025-01-01-preview", { key: KEY, bearer: null }, "gpt-4o"],
      ["/openai/two/v1/chat/completions", { key: null, bearer: `Bearer ${TOKEN}` }, "gpt"],
      ["/openai/three/v1/chat/completions", { key: "third-key", bearer: null }, "gpt"],
      ["/openai/four/chat/completions", { key: null, bearer: "Bearer sk-fourth" }, "gpt"],
    ]);
  });
  test("that hold a saved token do not send it to a host that the request names", async () => {
    const saved = async (config: Json): Promise<string> =>
      String(at(bodyOf(await api.admin("POST", "/v2/configs", { name: "Azure", workspace_id: "default", config })), "data", "slug"));
    const elsewhere = { "x-gateway-custom-host": `${api.upstream.url}/elsewhere` };
    const open = await saved({ provider: "azure-openai", azure_ad_token: TOKEN, azure_resource_name: "contoso" });
    expect(await refused(withConfig(open, elsewhere))).toEqual([
      400,
      expect.stringContaining("save the host in the config"),
      "custom_host",
    ]);
    const entra = { azure_auth_mode: "entra", azure_entra_tenant_id: "t", azure_entra_client_id: "c", azure_entra_client_secret: "s" };
    expect(await refused(withConfig(await saved({ provider: "azure-openai", ...entra }), elsewhere))).toMatchObject([
      400,
      expect.stringContaining("save the host in the config"),
      "custom_host",
    ]);
    const bound = await saved({ provider: "azure-openai", azure_ad_token: TOKEN, custom_host: host() });
    expect(credentials(await chat(withConfig(bound)))).toEqual({ key: null, bearer: `Bearer ${TOKEN}` });
  });
});

describe("the fields of cloud A in a saved integration", () => {
  let number = 0;
  const create = (body: Json): Promise<Answer> =>
    api.admin("POST", "/admin/v2/integrations", {
      name: `Azure ${(number += 1)}`,
      slug: `azure-${number}`,
      ai_provider_id: "azure-openai",
      workspace_id: "default",
      ...body,
    });
  const saved = async (body: Json): Promise<string> => String(bodyOf(await create(body))["slug"]);

  test("serve requests that name it, with its key, and win over headers", async () => {
    const slug = await saved({ key: KEY, configurations: { custom_host: host(), ...FIELDS } });
    const request = await chat({ "x-gateway-provider": `@${slug}`, "x-gateway-azure-deployment-id": "from-header" });
    fromFields(request);
    expect(credentials(request)).toEqual({ key: KEY, bearer: null });
    fromFields(await chat({}, { ...CHAT, model: `@${slug}/anything` }));
  });
  test("may list deployments, of which the model chooses one", async () => {
    const azure_deployment_config = [
      { alias: "fast", azure_deployment_name: "mini-eu", azure_api_version: "v1" },
      { alias: "good", azure_deployment_name: "big-eu", azure_api_version: "2024-10-21", azure_model_slug: "gpt-4o", is_default: true },
    ];
    const slug = await saved({ key: KEY, configurations: { azure_auth_mode: "default", custom_host: host(), azure_deployment_config } });
    const sent = async (alias: string) => {
      const request = await chat({}, { ...CHAT, model: `@${slug}/${alias}` });
      return [request.path, model(request)];
    };
    expect(await sent("fast")).toEqual(["/openai/v1/chat/completions", "mini-eu"]);
    expect(await sent("other")).toEqual(["/openai/deployments/big-eu/chat/completions?api-version=2024-10-21", "gpt-4o"]);
  });
  test("are sealed where they are secret: shown masked, sent whole", async () => {
    const slug = await saved({ configurations: { custom_host: host(), azure_ad_token: TOKEN, azure_api_version: "v1" } });
    const shown = await api.admin("GET", `/admin/v2/integrations/${slug}`);
    expect(at(bodyOf(shown), "configurations")).toMatchObject({ azure_api_version: "v1", azure_ad_token: "en*******ef" });
    expect(shown.text).not.toContain(TOKEN);
    expect(credentials(await chat({ "x-gateway-provider": `@${slug}` }))).toEqual({ key: null, bearer: `Bearer ${TOKEN}` });
  });
  test.each<[string, Json]>([
    ["azure_resource_name", { azure_resource_name: "evil.example" }],
    ["azure_auth_mode", { azure_auth_mode: "managed" }],
    ["azure_region", { azure_region: "eu" }],
  ])("are judged when they are saved: %s", async (member, configurations) => {
    const answer = await create({ key: KEY, configurations });
    expect([answer.status, at(answer.json, "error", "param")]).toEqual([400, `configurations.${member}`]);
  });
});
