import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayError, Host, Json, Manifest, Need, Target } from "#contract";
import { parseManifest } from "../../core/kernel/discovery/manifest.ts";
import openai from "../../providers/openai/index.ts";
import compatible, { interpret } from "../../providers/openai-compatible/index.ts";
import sandbox from "../../providers/sandbox/index.ts";
import { ask, testProvider } from "../kit/provider.ts";

/* The providers whose own wire is OpenAI's: openai, the interpreter and every manifest it interprets, the sandbox. */

const FOLDER = join(import.meta.dir, "../../providers");
const manifestOf = (id: string): Manifest => JSON.parse(readFileSync(join(FOLDER, id, "manifest.json"), "utf8")) as Manifest;
const codeless = readdirSync(FOLDER)
  .filter((id) => existsSync(join(FOLDER, id, "manifest.json"))) // wires are no plugin
  .map(manifestOf)
  .filter((manifest) => manifest.extends === "openai-compatible");

testProvider({
  plugin: openai,
  manifest: manifestOf("openai"),
  fields: { openai_organization: "org", openai_project: "proj", openai_beta: "x=1" },
});
testProvider({ plugin: compatible, manifest: manifestOf("openai-compatible") });
testProvider({ plugin: sandbox, manifest: manifestOf("sandbox") });
for (const manifest of codeless) testProvider({ plugin: interpret(manifest), manifest });

const HOST = { log: () => undefined, now: () => 0 } as unknown as Host<Need>; // these plugins ask for no handle
const target = (more: Partial<Target> = {}): Target => ({ fields: {}, apiKey: "k", customHost: null, model: "m", ...more });

describe("code-less manifests", () => {
  test("there are many", () => expect(codeless.length).toBeGreaterThanOrEqual(20));
  test.each(codeless.map((manifest) => [manifest.id, manifest] as const))("%s is valid and names the host it calls", (_, manifest) => {
    expect(() => parseManifest(manifest, "manifest.json")).not.toThrow();
    const baseUrl = String((manifest.declare as Json)["baseUrl"]);
    expect(manifest.needs).toEqual([`net:${new URL(baseUrl).host}`]);
    expect(manifest.samples).not.toBeEmpty();
  });
});

describe("openai", () => {
  const provides = async () => (await openai.setup(HOST, {})).provides;
  test("sends key, organisation, project and beta as headers", async () => {
    const { headers, baseUrl } = (await provides()).endpoint(
      target({ fields: { openai_organization: "o", openai_project: "p", openai_beta: "b" } }),
    );
    expect(baseUrl).toBe("https://api.openai.com/v1");
    expect(headers).toEqual({ authorization: "Bearer k", "openai-organization": "o", "openai-project": "p", "openai-beta": "b" });
  });
  test("assistants and vector stores ask for their beta unless the target names another", async () => {
    const { operations } = await provides();
    for (const operation of ["listAssistants", "listVectorStoreFiles"] as const) {
      expect(operations[operation]?.headers?.({}, ask(operation, target()))).toEqual({ "openai-beta": "assistants=v2" });
      expect(operations[operation]?.headers?.({}, ask(operation, target({ fields: { openai_beta: "assistants=v3" } })))).toEqual({});
    }
  });
});

describe("what a declaration asks for", () => {
  const declaring = async (declare: Json) =>
    (await interpret({ ...manifestOf("openai-compatible"), id: "acme", declare }).setup(HOST, {})).provides;
  const sent = async (declare: Json, body: Json) => {
    const { operations } = await declaring(declare);
    return operations.chatComplete?.request?.(body, ask("chatComplete", target())) ?? body;
  };

  test("drop leaves members out", async () => expect(await sent({ drop: ["seed"] }, { seed: 1, top_k: 2 })).toEqual({ top_k: 2 }));
  test("rename gives members their other name, and wins", async () => {
    expect(await sent({ rename: { max_completion_tokens: "max_tokens" } }, { max_tokens: 1, max_completion_tokens: 2 })).toEqual({
      max_tokens: 2,
    });
    expect(await sent({ rename: { max_completion_tokens: "max_tokens" } }, { max_tokens: 1, max_completion_tokens: null })).toEqual({
      max_tokens: 1,
    });
  });
  test("defaults fill in what the client left out", async () => {
    expect(await sent({ defaults: { max_tokens: 128, top_p: 1 } }, { max_tokens: 5 })).toEqual({ max_tokens: 5, top_p: 1 });
  });
  test("clamp keeps numbers within their bounds, renamed ones too", async () => {
    const declare = { rename: { max_completion_tokens: "max_tokens" }, clamp: { max_tokens: [1, null], temperature: [0, 1] } };
    expect(await sent(declare, { max_completion_tokens: 0, temperature: 1.7, top_p: 3 })).toEqual({
      max_tokens: 1,
      temperature: 1,
      top_p: 3,
    });
  });
  test("roles renames the roles of messages", async () => {
    const messages = [
      { role: "developer", content: "a" },
      { role: "user", content: "b" },
    ];
    expect(await sent({ roles: { developer: "system" } }, { messages })).toEqual({
      messages: [
        { role: "system", content: "a" },
        { role: "user", content: "b" },
      ],
    });
  });
  test("a body that needs no change comes back as the same object", async () => {
    const body = { model: "m", messages: [{ role: "user", content: "x" }], max_tokens: 5 };
    expect(
      await sent(
        { drop: ["seed"], rename: { a: "b" }, defaults: { max_tokens: 1 }, clamp: { max_tokens: [1, 9] }, roles: { developer: "system" } },
        body,
      ),
    ).toBe(body);
  });
  test("a server that may be any gets requests as they are, and its streams pass unread where it has no tools to call", async () => {
    const { chatComplete } = (await compatible.setup(HOST, {})).provides.operations;
    expect(chatComplete?.request).toBeUndefined();
    expect(chatComplete?.strays?.({ messages: [] })).toBeFalse();
    expect(chatComplete?.strays?.({ messages: [], tools: [{ type: "function" }] })).toBeTrue();
    const answer = { choices: [{ index: 0, message: { role: "assistant", content: "Hi" } }] };
    expect(chatComplete?.response?.(answer, ask("chatComplete", target()))).toBe(answer);
  });
  test("usageAt and finish put answers and chunks into the plain form", async () => {
    const { operations } = await declaring({ usageAt: "x.usage", finish: { eos: "stop" } });
    const { response, chunk } = operations.chatComplete ?? {};
    const strict = ask("chatComplete", target());
    const foreign = { choices: [{ index: 0, delta: {}, finish_reason: "eos" }], x: { usage: { total_tokens: 3 } } };
    for (const map of [response, chunk]) {
      expect(map?.(foreign, strict, {})).toEqual({
        ...foreign,
        choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
        usage: { total_tokens: 3 },
      });
      expect(map?.(foreign, { ...strict, strict: false }, {})).toMatchObject({ choices: [{ finish_reason: "eos" }] });
      const plain = { choices: [{ finish_reason: "stop" }], usage: { total_tokens: 1 } };
      expect(map?.(plain, strict, {})).toBe(plain);
    }
  });
  test("usageAt may go through lists", async () => {
    const { operations } = await declaring({ usageAt: "choices.0.usage" });
    expect(
      operations.chatComplete?.chunk?.({ choices: [{ usage: { total_tokens: 2 } }] }, ask("chatComplete", target()), {}),
    ).toMatchObject({
      usage: { total_tokens: 2 },
    });
  });
  test("errorAt is tried first, the usual places after it", async () => {
    const { error } = await declaring({ errorAt: ["fault.text", "detail.0.msg"] });
    expect(error?.(400, { fault: { text: "a" }, error: { message: "b", code: 7, type: "t" } })).toEqual({
      message: "a",
      code: "7",
      type: "t",
    });
    expect(error?.(422, { detail: [{ loc: ["x"], msg: "bad" }] })).toEqual({ message: "bad" });
    expect(error?.(401, { error: "no key" })).toEqual({ message: "no key" });
    expect(error?.(500, { message: "flat", type: "t", param: null, code: "c" })).toEqual({ message: "flat", type: "t", code: "c" });
    expect(error?.(502, "<html>")).toEqual({});
  });
  test.each([
    ["bearer", { authorization: "Bearer k" }],
    ["x-api-key", { "x-api-key": "k" }],
    ["api-key", { "api-key": "k" }],
    ["none", {}],
    [{ header: "Authorization", prefix: "Key " }, { authorization: "Key k" }],
  ])("auth %j", async (auth, headers) =>
    expect((await declaring({ baseUrl: "https://a.example", auth })).endpoint(target()).headers).toEqual(headers),
  );
  test("paths and fixed headers", async () => {
    const provider = await declaring({
      baseUrl: "https://a.example",
      headers: { "x-title": "t" },
      operations: ["embed"],
      paths: { embed: "/v2/embed" },
    });
    expect(provider.operations.embed?.path).toBe("/v2/embed");
    expect(provider.endpoint(target({ apiKey: "" })).headers).toEqual({ "x-title": "t" });
  });
  test("a custom host replaces the base URL; without either the target is incomplete", async () => {
    expect((await declaring({ baseUrl: "https://a.example" })).endpoint(target({ customHost: "https://b.example/v1/" })).baseUrl).toBe(
      "https://b.example/v1",
    );
    const provider = await declaring({});
    expect(() => provider.endpoint(target())).toThrow("custom_host");
  });
  test.each([
    [{ baseURL: "https://a.example" }, "declare.baseURL"],
    [{ baseUrl: "https://a.example/" }, "declare.baseUrl"],
    [{ operations: ["chat"] }, "declare.operations.0"],
    [{ auth: "basic" }, "declare.auth"],
    [{ clamp: { n: [1] } }, "declare.clamp.n"],
  ])("%j is refused with its path", (declare, path) => {
    const refused = (): unknown => interpret({ ...manifestOf("openai-compatible"), id: "acme", declare });
    expect(refused).toThrow(
      expect.objectContaining({ code: "PLUGIN_MANIFEST", details: expect.objectContaining({ path }) }) as GatewayError,
    );
  });
});
