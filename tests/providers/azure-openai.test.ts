/** Azure OpenAI: addresses by operation and version, what changes in bodies, credentials, and tokens from Entra. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import {
  GatewayError,
  isJson,
  type Json,
  type Manifest,
  OPERATIONS,
  type OperationId,
  type OutgoingRequest,
  type Target,
  UpstreamFailure,
} from "#contract";
import { Value } from "@sinclair/typebox/value";
import manifest from "../../providers/azure-openai/manifest.json" with { type: "json" };
import { usageIn } from "../../plugins/api/responses/decode.ts";
import plugin from "../../providers/azure-openai/index.ts";
import type { Settings } from "../../providers/azure-openai/settings.ts";
import { type Identity, tokenSource } from "../../providers/azure-openai/token.ts";
import { inFolder } from "../kit/deployment.ts";
import { fakeHost, type FakeHost } from "../kit/host.ts";
import { ask, testProvider } from "../kit/provider.ts";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing } from "../kit/recordings.ts";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer } from "../kit/replay.ts";

const RESOURCE = { azure_resource_name: "contoso" };
const ENTRA = {
  azure_auth_mode: "entra",
  azure_entra_tenant_id: "fabrikam.onmicrosoft.com",
  azure_entra_client_id: "11111111-2222-4333-8444-555555555555",
  azure_entra_client_secret: "s3cret~&=+ ü",
};

testProvider({
  plugin,
  manifest: manifest as Manifest,
  fields: { ...RESOURCE, azure_api_version: "v1", azure_model_name: "gpt-4o" },
});

/* ── a token service on the wire ─────────────────────────────────────────────────────────────────────────────── */

let entra: ReplayServer | undefined;
afterEach(() => entra?.close());
const grant = (token: string, lifeSec = 3600): Replay => jsonAnswer({ token_type: "Bearer", expires_in: lifeSec, access_token: token });

/** A host whose requests go to a server on this machine; their own host stands first in the path. */
async function hostWith(
  answer: Replay | ((request: Received) => Replay | Promise<Replay>),
): Promise<{ host: FakeHost<"net:*">["host"]; clock: { now: number }; seen: readonly Received[] }> {
  const server = (entra = replayServer(answer));
  const { host, clock } = await fakeHost(["net:*"], {
    fetch: async (request) => {
      const { host: name, pathname, search } = new URL(request.url);
      const { method, headers, signal } = request;
      return fetch(`${server.url}/${name}${pathname}${search}`, { method, headers, body: await request.bytes(), signal });
    },
  });
  return { host, clock, seen: server.received };
}

const DEFAULTS: Settings = { authorityHost: "https://login.microsoftonline.com" };
const provided = async (settings: Settings = DEFAULTS, host?: FakeHost<"net:*">["host"]) =>
  (await plugin.setup(host ?? (await fakeHost(["net:*"])).host, settings)).provides;
const target = (fields: Json, more: Partial<Target> = {}): Target => ({
  fields,
  apiKey: "azure-key",
  customHost: null,
  model: "",
  ...more,
});

interface RequestOptions {
  readonly path?: string;
  readonly search?: string;
  readonly model?: string;
  readonly customHost?: string;
  readonly body?: Json;
}
/** What would leave for Azure, put together as the pipeline does. */
async function leaving(operation: OperationId, fields: Json, asked: RequestOptions = {}): Promise<OutgoingRequest & { json: Json }> {
  const provider = await provided();
  const adapter = provider.operations[operation] ?? expect.unreachable();
  const to = target(fields, { customHost: asked.customHost ?? null, model: asked.model ?? "" });
  const given = ask(operation, to, { search: asked.search ?? "", ...(asked.path !== undefined && { path: asked.path }) });
  const json = adapter.request?.(asked.body ?? {}, given) ?? asked.body ?? {};
  const { baseUrl, headers } = provider.endpoint(to);
  const path = typeof adapter.path === "function" ? adapter.path(json, given) : expect.unreachable();
  const request = {
    method: OPERATIONS[operation].method,
    url: baseUrl + path + (adapter.search?.(given) ?? given.search),
    headers: new Headers(headers),
    body: null,
  };
  return { ...((await provider.sign?.(request, to)) ?? expect.unreachable()), json };
}
const url = async (...given: Parameters<typeof leaving>): Promise<string> => (await leaving(...given)).url;
const refusal = async (work: Promise<unknown>): Promise<unknown> => {
  const thrown = await work.catch((error: unknown) => error);
  return GatewayError.is(thrown) ? [thrown.code, thrown.param, thrown.message] : thrown;
};

/* ── addresses ───────────────────────────────────────────────────────────────────────────────────────────────── */

const OF_A_DEPLOYMENT = [
  "chatComplete",
  "complete",
  "embed",
  "imageGenerate",
  "imageEdit",
  "createSpeech",
  "createTranscription",
  "createTranslation",
] as const satisfies readonly OperationId[];
const OF_THE_RESOURCE = [
  ["uploadFile", "/files"],
  ["listFiles", "/files"],
  ["retrieveFile", "/files/file-1"],
  ["deleteFile", "/files/file-1"],
  ["retrieveFileContent", "/files/file-1/content"],
  ["createBatch", "/batches"],
  ["listBatches", "/batches"],
  ["retrieveBatch", "/batches/batch_1"],
  ["cancelBatch", "/batches/batch_1/cancel"],
  ["createFinetune", "/fine_tuning/jobs"],
  ["listFinetunes", "/fine_tuning/jobs"],
  ["retrieveFinetune", "/fine_tuning/jobs/ft-1"],
  ["cancelFinetune", "/fine_tuning/jobs/ft-1/cancel"],
  ["pauseFineTuningJob", "/fine_tuning/jobs/ft-1/pause"],
  ["resumeFineTuningJob", "/fine_tuning/jobs/ft-1/resume"],
  ["listFineTuningEvents", "/fine_tuning/jobs/ft-1/events"],
  ["createModelResponse", "/responses"],
  ["getModelResponse", "/responses/resp_1"],
  ["deleteModelResponse", "/responses/resp_1"],
  ["cancelModelResponse", "/responses/resp_1/cancel"],
  ["listResponseInputItems", "/responses/resp_1/input_items"],
  ["listAssistants", "/assistants"],
  ["createAssistant", "/assistants"],
  ["getAssistant", "/assistants/asst_1"],
  ["modifyAssistant", "/assistants/asst_1"],
  ["deleteAssistant", "/assistants/asst_1"],
  ["createThread", "/threads"],
  ["getThread", "/threads/thread_1"],
  ["modifyThread", "/threads/thread_1"],
  ["deleteThread", "/threads/thread_1"],
  ["listMessages", "/threads/thread_1/messages"],
  ["createMessage", "/threads/thread_1/messages"],
  ["getMessage", "/threads/thread_1/messages/msg_1"],
  ["modifyMessage", "/threads/thread_1/messages/msg_1"],
  ["deleteMessage", "/threads/thread_1/messages/msg_1"],
  ["createThreadAndRun", "/threads/runs"],
  ["listRuns", "/threads/thread_1/runs"],
  ["createRun", "/threads/thread_1/runs"],
  ["getRun", "/threads/thread_1/runs/run_1"],
  ["modifyRun", "/threads/thread_1/runs/run_1"],
  ["submitToolOutputsToRun", "/threads/thread_1/runs/run_1/submit_tool_outputs"],
  ["cancelRun", "/threads/thread_1/runs/run_1/cancel"],
  ["listRunSteps", "/threads/thread_1/runs/run_1/steps"],
  ["getRunStep", "/threads/thread_1/runs/run_1/steps/step_1"],
  ["listVectorStoreFiles", "/vector_stores/vs_1/files"],
  ["listVectorStores", "/vector_stores"],
  ["createVectorStore", "/vector_stores"],
  ["getVectorStore", "/vector_stores/vs_1"],
  ["modifyVectorStore", "/vector_stores/vs_1"],
  ["deleteVectorStore", "/vector_stores/vs_1"],
  ["searchVectorStore", "/vector_stores/vs_1/search"],
  ["createVectorStoreFile", "/vector_stores/vs_1/files"],
  ["getVectorStoreFile", "/vector_stores/vs_1/files/file-1"],
  ["deleteVectorStoreFile", "/vector_stores/vs_1/files/file-1"],
  ["listFineTuningJobCheckpoints", "/fine_tuning/jobs/ft-1/checkpoints"],
  ["updateVectorStoreFileAttributes", "/vector_stores/vs_1/files/file-1"],
  ["retrieveVectorStoreFileContent", "/vector_stores/vs_1/files/file-1/content"],
  ["createVectorStoreFileBatch", "/vector_stores/vs_1/file_batches"],
  ["getVectorStoreFileBatch", "/vector_stores/vs_1/file_batches/vsfb_1"],
  ["cancelVectorStoreFileBatch", "/vector_stores/vs_1/file_batches/vsfb_1/cancel"],
  ["listFilesInVectorStoreBatch", "/vector_stores/vs_1/file_batches/vsfb_1/files"],
  ["listModels", "/models"],
] as const satisfies readonly (readonly [OperationId, string])[];

describe("the address", () => {
  const DATED = { ...RESOURCE, azure_deployment_id: "prod-gpt", azure_api_version: "2024-10-21" };
  test("is known for every operation that is served", async () => {
    const others = ["getBatchOutput", "retrieveModel", "realtime"];
    const known = [...OF_A_DEPLOYMENT, ...OF_THE_RESOURCE.map(([id]) => id), ...others];
    expect(Object.keys((await provided()).operations).sort()).toEqual(known.sort());
  });
  test("of a batch's output is that of the batch first, and then that of its file", async () => {
    const { via } = (await provided()).operations.getBatchOutput ?? {};
    const both = (fields: Json, search = "") => {
      const asked = ask("getBatchOutput", target(fields), { path: "/batches/batch_1/output", search });
      return [via?.path(asked), via?.leads({ id: "batch_1", status: "completed", output_file_id: "file-1" }, asked)];
    };
    expect(both(DATED)).toEqual(["/batches/batch_1", "/files/file-1/content"]);
    expect(both(RESOURCE)).toEqual(["/v1/batches/batch_1", "/v1/files/file-1/content"]);
    expect(both(RESOURCE, "?api-version=2024-06-01")).toEqual(["/batches/batch_1", "/files/file-1/content"]);
  });
  test("of a model is that of its name", async () => {
    const model = "ft:gpt-4o:contoso";
    expect(await url("retrieveModel", RESOURCE, { model })).toBe("https://contoso.openai.azure.com/openai/v1/models/ft%3Agpt-4o%3Acontoso");
    expect(await url("retrieveModel", DATED, { model })).toBe(
      "https://contoso.openai.azure.com/openai/models/ft%3Agpt-4o%3Acontoso?api-version=2024-10-21",
    );
  });
  test.each(OF_A_DEPLOYMENT.map((id) => [id] as const))("of %s has the deployment in the path of a dated version", async (id) => {
    expect(await url(id, DATED)).toBe(
      `https://contoso.openai.azure.com/openai/deployments/prod-gpt${OPERATIONS[id].path}?api-version=2024-10-21`,
    );
    expect(await url(id, { ...DATED, azure_api_version: "v1" })).toBe(`https://contoso.openai.azure.com/openai/v1${OPERATIONS[id].path}`);
  });
  test("of a realtime session names the deployment: as such in dated versions, as the model in v1", async () => {
    const search = "?model=gpt-realtime&intent=transcription";
    const base = "https://contoso.openai.azure.com/openai";
    expect(await url("realtime", DATED, { search })).toBe(
      `${base}/realtime?api-version=2024-10-21&intent=transcription&deployment=prod-gpt`,
    );
    expect(await url("realtime", RESOURCE, { search, model: "gpt-realtime" })).toBe(
      `${base}/v1/realtime?intent=transcription&model=gpt-realtime`,
    );
    expect(await url("realtime", RESOURCE, { search: "?api-version=2025-04-01-preview&deployment=rt" })).toBe(
      `${base}/realtime?api-version=2025-04-01-preview&deployment=rt`,
    );
    expect(await refusal(url("realtime", RESOURCE))).toMatchObject(["TARGET_INVALID", "azure_deployment_id", expect.any(String)]);
  });
  test.each(OF_THE_RESOURCE.map(([id, path]) => [id, path] as const))("of %s is the client's own: %s", async (id, path) => {
    expect(await url(id, DATED, { path })).toBe(`https://contoso.openai.azure.com/openai${path}?api-version=2024-10-21`);
    expect(await url(id, RESOURCE, { path })).toBe(`https://contoso.openai.azure.com/openai/v1${path}`);
  });
  test.each<[string, Json, string, string]>([
    ["no version is v1", {}, "", "/v1/models"],
    [
      "v1 takes the client's version out of the query",
      { azure_api_version: "v1" },
      "?api-version=2024-10-21&limit=2",
      "/v1/models?limit=2",
    ],
    ["preview is a variant of v1", { azure_api_version: "preview" }, "", "/v1/models?api-version=preview"],
    [
      "the target's version wins",
      { azure_api_version: "2025-01-01" },
      "?a=1&api-version=x&b=c%20d",
      "/models?api-version=2025-01-01&a=1&b=c%20d",
    ],
    ["the client may say the version", {}, "?api-version=2024-06-01", "/models?api-version=2024-06-01"],
    ["the rest of the query stays as it was", {}, "?include[]=x&q=a+b", "/v1/models?include[]=x&q=a+b"],
  ])("and its query: %s", async (_, fields, search, end) =>
    expect(await url("listModels", { ...RESOURCE, ...fields }, { search })).toBe(`https://contoso.openai.azure.com/openai${end}`),
  );
  test.each([
    ["https://contoso.openai.azure.us/openai", "/v1/models"],
    ["https://contoso.openai.azure.us/openai/", "/v1/models"],
    ["https://contoso.openai.azure.us/openai/v1", "/v1/models"],
    ["https://contoso.openai.azure.us/openai/v1/", "/v1/models"],
  ])("is below the custom host %s", async (customHost, end) =>
    expect(await url("listModels", RESOURCE, { customHost })).toBe(`https://contoso.openai.azure.us/openai${end}`),
  );
  test("without a resource or a custom host is asked for", async () =>
    expect(await refusal(url("listModels", {}))).toEqual([
      "TARGET_INVALID",
      "azure_resource_name",
      "The target azure-openai is not complete: it has no address; beside a saved credential, save azure_resource_name or custom_host, else send x-gateway-azure-resource-name or x-gateway-custom-host.",
    ]));
  test("of a model without a deployment takes the model's name, and asks when there is none that may stand in a path", async () => {
    const fields = { ...RESOURCE, azure_api_version: "2024-10-21" };
    expect(await url("chatComplete", fields, { model: "prod-gpt" })).toContain("/deployments/prod-gpt/chat/completions?");
    for (const model of ["", "..", ".", "a/b", "a?b", "a#b", "a%2Fb"])
      expect(await refusal(url("chatComplete", fields, { model }))).toEqual(["TARGET_INVALID", "azure_deployment_id", expect.any(String)]);
  });
  test("is chosen from a list of deployments by the model, or by the default among them", async () => {
    const azure_deployment_config = [
      { alias: "fast", azure_deployment_name: "mini-eu", azure_api_version: "2025-04-01-preview", azure_model_slug: "gpt-4o-mini" },
      { alias: "good", azure_deployment_name: "big-eu", azure_api_version: "2024-10-21", azure_model_slug: "gpt-4o", is_default: true },
    ];
    const fields = { ...RESOURCE, azure_deployment_config };
    const sent = async (model: string) => {
      const { url: address, json } = await leaving("chatComplete", fields, { model, body: { model } });
      return [address.split("/deployments/")[1], json["model"]];
    };
    expect(await sent("fast")).toEqual(["mini-eu/chat/completions?api-version=2025-04-01-preview", "gpt-4o-mini"]);
    expect(await sent("good")).toEqual(["big-eu/chat/completions?api-version=2024-10-21", "gpt-4o"]);
    expect(await sent("anything")).toEqual(["big-eu/chat/completions?api-version=2024-10-21", "gpt-4o"]);
  });
});

describe("target fields", () => {
  test.each<Json>([
    { azure_resource_name: "evil.example/" },
    { azure_resource_name: "evil.example" },
    { azure_resource_name: "evil#" },
    { azure_resource_name: "user@evil" },
    { azure_resource_name: "evil:443" },
    { azure_resource_name: "-contoso" },
    { azure_resource_name: "" },
    { azure_resource_name: "contoso\n" },
    { azure_deployment_id: "../files" },
    { azure_deployment_id: ".." },
    { azure_deployment_id: "a/b" },
    { azure_deployment_id: "a?api-version=1" },
    { azure_api_version: "2024-10-21&x=y" },
    { azure_api_version: "1".repeat(31) },
    { azure_auth_mode: "managed" },
    { azure_auth_mode: "entraFederated" },
    { azure_entra_tenant_id: "../common" },
    { azure_entra_tenant_id: "a/b" },
    { azure_ad_token: "t\r\nx: y" },
    { azure_deployment_config: [{ alias: "a", azure_deployment_name: "a/b" }] },
    { azure_managed_client_id: "x" },
  ])("refuse %j", async (fields) => expect(Value.Check((await provided()).target, { ...RESOURCE, ...fields })).toBe(false));
  test("that hold credentials are secrets, sealed where they are stored", async () => {
    const properties = (await provided()).target["properties"] as Record<string, Json>; // an object schema
    expect(Object.keys(properties).filter((name) => properties[name]?.["secret"] === true)).toEqual([
      "azure_ad_token",
      "azure_entra_client_secret",
    ]);
  });
});

/* ── bodies ──────────────────────────────────────────────────────────────────────────────────────────────────── */

describe("the body", () => {
  const DATED = { ...RESOURCE, azure_deployment_id: "prod-gpt", azure_api_version: "2024-10-21" };
  const V1 = { ...RESOURCE, azure_deployment_id: "prod-gpt" };
  const sent = async (...given: Parameters<typeof leaving>): Promise<Json> => (await leaving(...given)).json;
  const CHAT = { model: "gpt-4o", messages: [{ role: "developer", content: "x" }], x_new: { deep: 1 } };

  test("is the client's own object where nothing has to change", async () => {
    expect(await sent("chatComplete", DATED, { body: CHAT })).toBe(CHAT);
    expect(await sent("chatComplete", RESOURCE, { body: CHAT })).toBe(CHAT);
    expect(await sent("embed", DATED, { body: CHAT })).toBe(CHAT);
  });
  test("names the deployment in the v1 API, and the model behind it in dated versions", async () => {
    expect(await sent("chatComplete", V1, { body: CHAT })).toEqual({ ...CHAT, model: "prod-gpt" });
    expect(await sent("chatComplete", { ...DATED, azure_model_name: "gpt-4.1" }, { body: CHAT })).toEqual({ ...CHAT, model: "gpt-4.1" });
    expect(await sent("chatComplete", { ...V1, azure_model_name: "gpt-4.1" }, { body: CHAT })).toEqual({ ...CHAT, model: "prod-gpt" });
  });
  test("of a response names the deployment in every version", async () => {
    for (const fields of [DATED, V1])
      expect(await sent("createModelResponse", fields, { body: { model: "m", input: "x" } })).toEqual({ model: "prod-gpt", input: "x" });
  });
  test("of an assistant or a run names the deployment where it names a model", async () => {
    for (const fields of [DATED, V1])
      for (const id of ["createAssistant", "modifyAssistant", "createRun", "createThreadAndRun"] as const) {
        expect(await sent(id, fields, { body: { model: "m", assistant_id: "a" } })).toEqual({ model: "prod-gpt", assistant_id: "a" });
        expect(await sent(id, fields, { body: { assistant_id: "a" } })).toEqual({ assistant_id: "a" });
      }
  });
  test("asks for no usage in streams of versions that would refuse that", async () => {
    const body = { ...CHAT, stream: true, stream_options: { include_usage: true } };
    const asks = async (azure_api_version: string) =>
      "stream_options" in (await sent("chatComplete", { ...DATED, azure_api_version }, { body }));
    expect(await Promise.all(["2024-02-01", "2024-08-01-preview", "2024-09-01-preview", "2024-10-21", "v1"].map(asks))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(body).toHaveProperty("stream_options");
  });
  test("of a batch has the members that Azure requires, unless the client says others", async () => {
    const own = { input_file_id: "f", endpoint: "/v1/responses", completion_window: "48h", output_expires_after: { seconds: 1 } };
    expect(await sent("createBatch", DATED, { body: { input_file_id: "f" } })).toMatchObject({
      endpoint: "/chat/completions",
      completion_window: "24h",
    });
    expect(await sent("createBatch", V1, { body: { input_file_id: "f" } })).toMatchObject({ endpoint: "/v1/chat/completions" });
    expect(await sent("createBatch", DATED, { body: own })).toEqual(own);
  });
  test("of a supervised fine-tuning job has its parameters at the top in dated versions", async () => {
    const supervised = { type: "supervised", supervised: { hyperparameters: { n_epochs: 2 } } };
    const job = { model: "gpt-4o", training_file: "f" };
    expect(await sent("createFinetune", DATED, { body: { ...job, method: supervised } })).toEqual({
      ...job,
      hyperparameters: { n_epochs: 2 },
    });
    expect(await sent("createFinetune", DATED, { body: { ...job, method: { type: "supervised" } } })).toEqual(job);
    const untouched: [Json, Json][] = [
      [V1, { ...job, method: supervised }],
      [DATED, { ...job, method: { type: "dpo", dpo: { hyperparameters: { beta: 1 } } } }],
      [DATED, job],
    ];
    for (const [fields, body] of untouched) expect(await sent("createFinetune", fields, { body })).toEqual(body);
  });
  test("of a fine-tuning job says its state in OpenAI's words", async () => {
    const { operations } = await provided();
    const given = ask("listFinetunes", target(DATED));
    for (const id of ["createFinetune", "retrieveFinetune", "cancelFinetune", "pauseFineTuningJob"] as const)
      expect(operations[id]?.response?.({ id: "ft-1", status: "pending" }, given)).toEqual({ id: "ft-1", status: "queued" });
    expect(
      operations.listFinetunes?.response?.({ data: [{ status: "created" }, { status: "running" }, "odd"], has_more: false }, given),
    ).toEqual({ data: [{ status: "queued" }, { status: "running" }, "odd"], has_more: false });
    expect(operations.listFinetunes?.response?.({ error: 1 }, given)).toEqual({ error: 1 });
  });
});

describe("an error", () => {
  const read = async (body: unknown) => (await provided()).error?.(400, body, {});
  test("of a model, of the resource and of an API management is read", async () => {
    const filtered = {
      message: "The response was filtered",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation" },
    };
    expect(await read({ error: filtered })).toEqual({ message: "The response was filtered", param: "prompt", code: "content_filter" });
    expect(await read({ error: { code: "DeploymentNotFound", message: "no such deployment" } })).toEqual({
      message: "no such deployment",
      code: "DeploymentNotFound",
    });
    expect(await read({ statusCode: 401, message: "Access denied" })).toEqual({ message: "Access denied" });
    expect(await read({ error: { code: 429, message: "slow" } })).toEqual({ message: "slow", code: "429" });
  });
});

/* ── recorded answers ────────────────────────────────────────────────────────────────────────────────────────── */

sayIfMissing();
describe.skipIf(!haveRecordings)("recorded responses", () => {
  /** The parts of the usage are disjoint and add up to what Azure says. */
  function expectCounted(response: Json): void {
    const usage = response["usage"] as { input_tokens: number; output_tokens: number; output_tokens_details: { reasoning_tokens: number } }; // as recorded
    const { input = 0, cacheRead = 0, output = 0, reasoning = 0 } = usageIn(response) ?? expect.unreachable();
    expect([input + cacheRead, output + reasoning, reasoning]).toEqual([
      usage.input_tokens,
      usage.output_tokens,
      usage.output_tokens_details.reasoning_tokens,
    ]);
    expect(usage.output_tokens).toBeGreaterThan(0);
  }
  test("there are some", () => expect(recordings(["azure"], ".json").length).toBeGreaterThanOrEqual(2));
  test.each(recordings(["azure"], ".json").map((path) => [path] as const))("%s says its usage", (path) =>
    expectCounted(JSON.parse(recording(path)) as Json),
  );
  test.each(recordings(["azure"], ".chunks.txt").map((path) => [path] as const))("%s says its usage in the last event", (path) => {
    const last = JSON.parse(recordedLines(path).at(-1) ?? "") as Json;
    expect([last["type"], isJson(last["response"])]).toEqual(["response.completed", true]);
    expectCounted(last["response"] as Json);
  });
});

/* ── credentials ─────────────────────────────────────────────────────────────────────────────────────────────── */

describe("the credential", () => {
  const headersOf = async (fields: Json, more: Partial<Target> = {}): Promise<Json> =>
    (await provided()).endpoint(target({ ...RESOURCE, ...fields }, more)).headers;
  test("is the key, in Azure's own header", async () => expect(await headersOf({})).toEqual({ "api-key": "azure-key" }));
  test.each(["entra-token", "Bearer entra-token", "bearer entra-token"])("is the token %p in place of the key", async (azure_ad_token) =>
    expect(await headersOf({ azure_ad_token })).toEqual({ authorization: "Bearer entra-token" }),
  );
  test("comes with the beta features that are asked for", async () => {
    expect(await headersOf({ openai_beta: "x=1" })).toEqual({ "api-key": "azure-key", "openai-beta": "x=1" });
    const { operations } = await provided();
    const beta = (fields: Json) => operations.listAssistants?.headers?.({}, ask("listAssistants", target(fields)));
    expect([beta({}), beta({ openai_beta: "assistants=v1" })]).toEqual([{ "openai-beta": "assistants=v2" }, {}]);
  });
  test.each(["azure_entra_tenant_id", "azure_entra_client_id", "azure_entra_client_secret"] as const)(
    "of an Entra application needs %s",
    async (name) => {
      const { [name]: _, ...rest } = ENTRA;
      expect(await refusal(headersOf(rest))).toEqual([
        "TARGET_INVALID",
        name,
        `The target azure-openai is not complete: azure_auth_mode entra needs ${name}.`,
      ]);
    },
  );
});

describe("a token of an Entra application", () => {
  const signed = async (provider: Awaited<ReturnType<typeof provided>>, fields: Json = {}): Promise<string | null> => {
    const request = { method: "POST", url: "https://contoso.openai.azure.com/openai/v1/models", headers: new Headers(), body: null };
    const to = target({ ...RESOURCE, ...ENTRA, ...fields });
    expect(provider.endpoint(to).headers).toEqual({}); // the key that came along stays here
    return (await provider.sign?.(request, to))?.headers.get("authorization") ?? null;
  };

  test("is fetched with its secret, and goes out as bearer", async () => {
    const { host, seen } = await hostWith(grant("t1"));
    expect(await signed(await provided(DEFAULTS, host))).toBe("Bearer t1");
    expect(seen.map(({ method, path }) => [method, path])).toEqual([
      ["POST", "/login.microsoftonline.com/fabrikam.onmicrosoft.com/oauth2/v2.0/token"],
    ]);
    expect(seen[0]?.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.text()))).toEqual({
      grant_type: "client_credentials",
      client_id: ENTRA.azure_entra_client_id,
      client_secret: ENTRA.azure_entra_client_secret,
      scope: "https://cognitiveservices.azure.com/.default",
    });
  });
  test("is for the scope that the target names, at the authority that the operator names", async () => {
    const { host, seen } = await hostWith(grant("t1"));
    await signed(await provided({ authorityHost: "https://login.microsoftonline.us/" }, host), {
      azure_entra_scope: "https://ai.azure.com/.default",
    });
    expect(seen[0]?.path).toStartWith("/login.microsoftonline.us/fabrikam");
    expect(new URLSearchParams(seen[0]?.text()).get("scope")).toBe("https://ai.azure.com/.default");
  });
  test("is kept until five minutes before it expires, then renewed", async () => {
    let number = 0;
    const { host, seen, clock } = await hostWith(() => grant(`t${(number += 1)}`, 3600));
    const provider = await provided(DEFAULTS, host);
    const at = async (minute: number): Promise<string | null> => {
      clock.now = Date.UTC(2026, 0, 1) + minute * 60_000;
      return signed(provider);
    };
    expect([await at(0), await at(30), await at(54), await at(56), await at(110)]).toEqual([
      "Bearer t1",
      "Bearer t1",
      "Bearer t1",
      "Bearer t2",
      "Bearer t2",
    ]);
    expect(seen.length).toBe(2);
  });
  test("with a short life is kept for half of it", async () => {
    const { host, seen, clock } = await hostWith(grant("t", 60));
    const provider = await provided(DEFAULTS, host);
    await signed(provider);
    clock.now += 29_000;
    await signed(provider);
    expect(seen.length).toBe(1);
    clock.now += 2_000;
    await signed(provider);
    expect(seen.length).toBe(2);
  });
  test("is fetched once for all who ask meanwhile", async () => {
    const { host, seen } = await hostWith(grant("t"));
    const provider = await provided(DEFAULTS, host);
    expect(await Promise.all([signed(provider), signed(provider), signed(provider)])).toEqual(["Bearer t", "Bearer t", "Bearer t"]);
    expect(seen.length).toBe(1);
  });
  test("is nobody else's: another secret, application, directory or scope asks for its own", async () => {
    const { host, seen } = await hostWith(({ path, text }) => {
      const form = new URLSearchParams(text());
      return grant([path.split("/")[2], form.get("client_id"), form.get("client_secret"), form.get("scope")].join("|"));
    });
    const provider = await provided(DEFAULTS, host);
    const others = [
      {},
      { azure_entra_client_secret: "guess" },
      { azure_entra_client_id: "other" },
      { azure_entra_tenant_id: "other.example" },
      { azure_entra_scope: "other" },
    ];
    const tokens = await Promise.all(others.map((fields) => signed(provider, fields)));
    expect([new Set(tokens).size, seen.length]).toEqual([5, 5]);
  });
  test("that Entra refuses is an authentication error, told in its first line, and asked for again the next time", async () => {
    const description = "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1\r\nTimestamp: x";
    let answer = jsonAnswer({ error: "invalid_client", error_description: description }, { status: 401 });
    const { host, seen } = await hostWith(() => answer);
    const provider = await provided(DEFAULTS, host);
    const thrown = await signed(provider).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UpstreamFailure);
    expect(thrown).toMatchObject({
      status: 401,
      error: {
        message: "no token from Microsoft Entra: AADSTS7000215: Invalid client secret provided.",
        type: "authentication_error",
        param: null,
        code: "entra_token",
      },
    });
    answer = grant("t");
    expect(await signed(provider)).toBe("Bearer t");
    expect(seen.length).toBe(2);
  });
  test.each<[string, Replay, number]>([
    ["a busy service", jsonAnswer({}, { status: 429 }), 429],
    ["an outage", { status: 503, body: "<html>" }, 503],
    ["an unknown directory", jsonAnswer({ error: "invalid_request" }, { status: 400 }), 401],
    ["an answer without a token", jsonAnswer({ token_type: "Bearer" }), 502],
    ["an answer that is no JSON", { body: "<html>" }, 502],
  ])("%s has a status by which it can be tried again, or not", async (_, answer, status) => {
    const { host } = await hostWith(answer);
    expect(await signed(await provided(DEFAULTS, host)).catch((error: unknown) => error)).toMatchObject({ status });
  });
});

describe("the token source", () => {
  const identity = (secret: string): Identity => ({ tenant: "t", clientId: "c", scope: "s", proof: { kind: "secret", secret } });
  test("gives up on a service that does not answer", async () => {
    const { host } = await hostWith({ body: "", ends: "hang" });
    expect(await refusal(tokenSource(host, { ...DEFAULTS, timeoutMs: 20 })(identity("x")))).toEqual([
      "UPSTREAM_UNREACHABLE",
      null,
      expect.stringContaining("Microsoft Entra did not answer within 20 ms"),
    ]);
  });
  test("keeps the token of an identity in use, however many others come", async () => {
    const { host, seen } = await hostWith(grant("t"));
    const tokenOf = tokenSource(host, DEFAULTS);
    for (let n = 0; n <= 1_500; n += 1) {
      await tokenOf(identity("in use"));
      await tokenOf(identity(String(n)));
    }
    expect(seen.length).toBe(1_502);
  });
  test("forgets the oldest of very many identities, and keeps the others", async () => {
    const { host, seen } = await hostWith(grant("t"));
    const tokenOf = tokenSource(host, DEFAULTS);
    for (let n = 0; n <= 1_000; n += 1) await tokenOf(identity(String(n)));
    expect(seen.length).toBe(1_001);
    await tokenOf(identity("1000"));
    await tokenOf(identity("1"));
    expect(seen.length).toBe(1_001);
    await tokenOf(identity("0"));
    expect(seen.length).toBe(1_002);
  });
});

describe("the gateway's workload identity", () => {
  const WORKLOAD = { ...RESOURCE, azure_auth_mode: "workload" };
  const IDENTITY = { ...DEFAULTS, tenantId: "tenant-of-the-pod", clientId: "client-of-the-pod" };
  const signed = async (settings: Settings, host: FakeHost<"net:*">["host"], fields: Json = {}, more: Partial<Target> = {}) => {
    const provider = await provided(settings, host);
    const to = target({ ...WORKLOAD, ...fields }, more);
    const request = { method: "GET", url: `${provider.endpoint(to).baseUrl}/v1/models`, headers: new Headers(), body: null };
    return (await provider.sign?.(request, to))?.headers.get("authorization");
  };

  test("proves itself with the token in its file, read anew for each renewal", () =>
    inFolder(async (folder) => {
      const federatedTokenFile = join(folder, "token");
      const settings = { ...IDENTITY, federatedTokenFile };
      const { host, seen, clock } = await hostWith(grant("t"));
      const provider = await provided(settings, host);
      const to = target(WORKLOAD);
      const sign = () => provider.sign?.({ method: "GET", url: "https://x/", headers: new Headers(), body: null }, to);
      for (const assertion of ["first.jwt", "second.jwt"]) {
        writeFileSync(federatedTokenFile, `${assertion}\n`);
        expect((await sign())?.headers.get("authorization")).toBe("Bearer t");
        clock.now += 3_600_000;
      }
      expect(seen.map(({ path }) => path)).toEqual(Array(2).fill("/login.microsoftonline.com/tenant-of-the-pod/oauth2/v2.0/token"));
      expect(seen.map((one) => Object.fromEntries(new URLSearchParams(one.text())))).toEqual(
        ["first.jwt", "second.jwt"].map((client_assertion) => ({
          grant_type: "client_credentials",
          client_id: "client-of-the-pod",
          scope: "https://cognitiveservices.azure.com/.default",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion,
        })),
      );
    }));
  test("may be another application's that the target names", () =>
    inFolder(async (folder) => {
      const federatedTokenFile = join(folder, "token");
      writeFileSync(federatedTokenFile, "a.jwt");
      const { host, seen } = await hostWith(grant("t"));
      await signed({ ...DEFAULTS, federatedTokenFile }, host, { azure_workload_client_id: "c2", azure_workload_tenant_id: "t2" });
      expect([seen[0]?.path, new URLSearchParams(seen[0]?.text()).get("client_id")]).toEqual([
        "/login.microsoftonline.com/t2/oauth2/v2.0/token",
        "c2",
      ]);
    }));
  test.each([
    "https://evil.example/openai",
    "https://contoso.openai.azure.com.evil.example/openai",
    "https://contoso.openai.azure.com@evil.example/",
    "http://contoso.openai.azure.com/openai",
  ])("is sent to no host of a caller's choice: %s", async (customHost) => {
    const { host, seen } = await hostWith(grant("t"));
    expect(await refusal(signed({ ...IDENTITY, federatedTokenFile: "/nowhere" }, host, {}, { customHost }))).toEqual([
      "TARGET_INVALID",
      "custom_host",
      expect.stringContaining("hosts of Azure only"),
    ]);
    expect(seen.length).toBe(0);
  });
  test("is sent to Azure's sovereign clouds", () =>
    inFolder(async (folder) => {
      const federatedTokenFile = join(folder, "token");
      writeFileSync(federatedTokenFile, "a.jwt");
      const { host } = await hostWith(grant("t"));
      const customHost = "https://contoso.openai.azure.us/openai";
      expect(await signed({ ...IDENTITY, federatedTokenFile }, host, {}, { customHost })).toBe("Bearer t");
    }));
  test("is refused with a sentence when the operator has given none, or its file is gone", async () => {
    const { host } = await hostWith(grant("t"));
    expect(await refusal(signed(IDENTITY, host))).toEqual(["TARGET_INVALID", "azure_auth_mode", expect.stringContaining("is not set")]);
    expect(await refusal(signed({ ...DEFAULTS, federatedTokenFile: "/nowhere" }, host))).toEqual([
      "TARGET_INVALID",
      "azure_workload_client_id",
      expect.any(String),
    ]);
    expect(await refusal(signed({ ...IDENTITY, federatedTokenFile: "/nowhere/at/all" }, host))).toEqual([
      "PROVIDER_UNAVAILABLE",
      null,
      expect.stringContaining("AZURE_FEDERATED_TOKEN_FILE names cannot be read"),
    ]);
  });
});
