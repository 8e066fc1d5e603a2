/** What the API document shows to a reader works as it stands. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isJson, type Json } from "#contract";
import { type GatewayProcess, startGateway } from "./process.ts";

/** How the last frame of a stream begins, where it is no `[DONE]`. */
const LAST_FRAME: Readonly<Record<string, string>> = {
  "/v1/threads/runs": "event: done\ndata: [DONE]",
  "/v1/threads/{thread_id}/runs": "event: done\ndata: [DONE]",
  "/v1/threads/{thread_id}/runs/{run_id}/submit_tool_outputs": "event: done\ndata: [DONE]",
  "/v1/messages": 'event: message_stop\ndata: {"type":"message_stop"}',
  "/v1/responses": 'event: response.completed\ndata: {"type":"response.completed"',
};

describe("the API document", () => {
  let document: Json;
  let shown: readonly Shown[];
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway();
    document = (await (await fetch(`${gateway.base}/openapi.json`)).json()) as Json;
    shown = examplesIn(document);
  }, 30_000);
  afterAll(async () => {
    await gateway.stop();
    gateway.remove();
  });

  test("begins with the planes, the keys, and a first request that is answered as it stands", async () => {
    const { description } = document["info"] as { description: string };
    for (const word of ["`/v1`", "`/v2`", "`/admin/v2`", "x-gateway-api-key", "admin.key", "gateway.key"])
      expect(description).toContain(word);
    const [, command = ""] = /```sh\n([\s\S]*?)```/.exec(description) ?? [];
    const typed = command.replace("$(cat data/gateway.key)", "$GATEWAY_KEY");
    const env = { PATH: process.env["PATH"] ?? "", GATEWAY_URL: gateway.base, GATEWAY_KEY: gateway.gatewayKey };
    const curl = Bun.spawn(["sh", "-c", typed], { env, stderr: "ignore" });
    expect(await new Response(curl.stdout).json()).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
  });
  test("has examples of a chat, a stream, a config and a guardrail", () => {
    expect(shown.map(({ path, key }) => `${path} ${key}`)).toEqual(
      expect.arrayContaining([
        "/v1/chat/completions a-question",
        "/v1/chat/completions the-answer-as-a-stream",
        expect.stringMatching(/^\/v2\/configs /),
        expect.stringMatching(/^\/v2\/guardrails /),
      ]),
    );
  });
  test("has only examples that obey their schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { path, key, schema, value } of shown) {
      const judge = ajv.compile({ ...schema, components: document["components"] });
      expect([path, key, judge(value), judge.errors]).toEqual([path, key, true, null]);
    }
    expect(ajv.validate({ ...shown[0]?.schema, components: document["components"] }, { messages: 1 })).toBeFalse();
  });
  test("has only examples that work with the key of their scheme and the headers beside them", async () => {
    const keys: Readonly<Record<string, string>> = { gatewayKey: gateway.gatewayKey, adminKey: gateway.adminKey };
    const ids = await made(gateway);
    for (const { path, key, scheme, value, headers } of shown) {
      const answer = await fetch(gateway.base + path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? expect.unreachable(name)), {
        method: "POST",
        headers: { "content-type": "application/json", "x-gateway-api-key": keys[scheme] ?? "", ...headers },
        body: JSON.stringify(value),
      });
      const text = await answer.text();
      expect([path, key, answer.status, text]).toEqual([path, key, 200, text]);
      if (value["stream"] === true) expect(text.trimEnd().split("\n\n").at(-1)).toStartWith(LAST_FRAME[path] ?? "data: [DONE]");
    }
  });
});

/** Ids of things that are there, by the names of path parameters: a reader fills them in. */
async function made({ base, gatewayKey }: GatewayProcess): Promise<Readonly<Record<string, string>>> {
  const headers = { "content-type": "application/json", "x-gateway-api-key": gatewayKey, "x-gateway-provider": "sandbox" };
  const post = async (path: string, body: Json): Promise<Json> =>
    (await (await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as Json;
  const idOf = async (path: string, body: Json): Promise<string> => String((await post(path, body))["id"]);
  const thread_id = await idOf("/v1/threads", {});
  const weather = { type: "function", function: { name: "weather" } };
  const run = { assistant_id: "asst_1", tools: [weather], tool_choice: "required" };
  const run_id = await idOf(`/v1/threads/${thread_id}/runs`, run);
  await fetch(`${base}/v1/threads/${thread_id}/runs/${run_id}`, { headers });
  return {
    thread_id,
    run_id,
    message_id: await idOf(`/v1/threads/${thread_id}/messages`, { role: "user", content: "Hello" }),
    assistant_id: await idOf("/v1/assistants", { model: "sandbox-echo" }),
    vector_store_id: await idOf("/v1/vector_stores", { file_ids: ["file-1"] }),
    file_id: "file-1",
  };
}

interface Shown {
  readonly path: string;
  readonly key: string;
  readonly schema: Json;
  readonly value: Json;
  /** The first security scheme: what the page offers. */
  readonly scheme: string;
  readonly headers: Readonly<Record<string, string>>;
}
const object = (value: unknown): Json => (isJson(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The path with the values that its parameters show; what shows none is left to fill in. */
const filled = (path: string, parameters: readonly Json[]): string =>
  path.replace(/\{(\w+)\}/g, (left, name: string) =>
    String(parameters.find((parameter) => parameter["name"] === name)?.["example"] ?? left),
  );
/** Every named request body of the document, with the header values of the same name. */
const examplesIn = (document: Json): readonly Shown[] =>
  Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.values(object(methods)).flatMap((method) => {
      const { requestBody, parameters, security = document["security"] } = object(method);
      const { schema, examples } = object(object(object(requestBody)["content"])["application/json"]);
      const scheme = Object.keys(object(list(security)[0]))[0] ?? "";
      return Object.entries(object(examples)).map(([key, example]) => ({
        path: filled(path, list(parameters).map(object)),
        key,
        scheme,
        schema: object(schema),
        value: object(object(example)["value"]),
        headers: Object.fromEntries(
          list(parameters)
            .map(object)
            .filter(({ examples: values }) => key in object(values))
            .map(({ name, examples: values }) => [String(name), String(object(object(values)[key])["value"])]),
        ),
      }));
    }),
  );
