/** Requests through a generation's routes: plugins that never answer, bodies that never come, clients that leave. */
import { afterEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { Type } from "@sinclair/typebox";
import {
  type Caller,
  definePlugin,
  defineStrategy,
  headerClasses,
  type Outcome,
  type Policy,
  type TargetNode,
  NO_CONTENT,
} from "#contract";
import { bootWith, type Given } from "#kit";
import type { Built } from "../kernel/boot.ts";
import { AT, markOf, sharedMarks } from "../kernel/process/watchdog/marks.ts";
import { ownKeys } from "../kernel/secrets/own-keys.ts";
import type { HttpSettings } from "./settings.ts";
import { serveGeneration } from "./server.ts";

const never = <T>(): Promise<T> => new Promise(() => undefined);
const CALLER: Caller = {
  organisationId: "o",
  workspaceId: null,
  keyId: "k",
  keyName: "k",
  keyType: "organisation-service",
  userId: null,
  scopes: new Set(["completions.write", "models.list"]),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
};
const ended: Outcome[] = [];
/** Whose code runs, as the watchdog would tell, when this is called. */
const seen = new Map<string, string>();
function entered<T>(what: string, answer: T): T {
  seen.set(what, sharedMarks.names[sharedMarks.marks[AT.entered] ?? 0] ?? "");
  return answer;
}

const policyOf = (id: string, provides: Policy): Given => ({
  manifest: { kind: "policy", id, provides: Object.keys(provides.strategies ?? {}) },
  module: () => ({ default: definePlugin({ kind: "policy", config: Type.Object({}), needs: [], setup: () => ({ provides }) }) }),
});
const open = policyOf("open", { identify: () => CALLER, settle: (outcome) => void ended.push(outcome) });
const api: Given = {
  manifest: { kind: "api", id: "hanging", provides: ["listModels", "embed"] },
  module: () => ({
    default: definePlugin({
      kind: "api",
      config: Type.Object({}),
      needs: [],
      setup: () => ({
        provides: {
          operations: [
            { operation: "listModels", content: NO_CONTENT, reply: Type.Unknown(), local: () => entered("local", never()) },
            { operation: "embed", content: NO_CONTENT, reply: Type.Unknown() },
          ],
          routes: [
            {
              plane: "data",
              method: "GET",
              path: "/hang",
              tag: "t",
              summary: "s",
              scope: { public: true },
              reply: Type.Unknown(),
              handle: () => never<object>(),
            },
            {
              plane: "control",
              method: "POST",
              path: "/echo",
              tag: "t",
              summary: "s",
              scope: { public: true },
              body: Type.Object({}),
              reply: Type.Unknown(),
              handle: () => ({ ok: true }),
            },
          ],
        },
      }),
    }),
  }),
};

let built: Built | undefined;
let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await server?.stop(true);
  ended.length = 0;
});

async function serving(
  plugins: readonly Given[],
  more: Partial<HttpSettings> = {},
): Promise<{ base: string; port: number; lines: string[] }> {
  const captured = { lines: [] as string[] };
  built = await bootWith([api, ...plugins], {}, captured);
  const MS = 30;
  const served = serveGeneration(built.generation, {
    maxJsonBytes: 1024,
    maxDepth: 10,
    headers: headerClasses([]),
    ownKeys: ownKeys({ digest: (text) => text }),
    now: Date.now,
    log: built.generation.log,
    redact: (value) => value,
    isLoop: () => false,
    pluginLimits: { identify: MS, admit: MS, local: MS, strategy: MS, route: MS },
    ...more,
  });
  const listening = (server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: (request) => served.fetch(request) }));
  return { base: `http://127.0.0.1:${listening.port}`, port: Number(listening.port), lines: captured.lines };
}
const embed = (base: string, headers: Record<string, string> = {}) =>
  fetch(`${base}/v1/embeddings`, {
    method: "POST",
    headers: { "x-gateway-api-key": "k", "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", input: "x" }),
  });
const told = async (response: Response): Promise<[number, unknown]> => [
  response.status,
  ((await response.json()) as { error: { message: string } }).error.message,
];
const sentence = (plugin: string) => [503, `The plugin ${plugin} did not answer within 0.03 s.`] as [number, unknown];

describe("a plugin that never answers is named by a 503", () => {
  /** Calls to it that nobody has answered yet, as the watchdog would tell. */
  const openOf = (plugin: string): number => sharedMarks.marks[AT.open + markOf(plugin)] ?? 0;
  test("in admit", async () => {
    const before = openOf("policy/limits");
    const { base } = await serving([open, policyOf("limits", { admit: () => never() })]);
    expect(await told(await embed(base))).toEqual(sentence("policy/limits"));
    expect(openOf("policy/limits")).toBe(before + 1);
    await until(() => built?.generation.inFlight === 0); // it is settled after its answer has left
  });
  test("in an operation's own answer", async () => {
    const before = openOf("api/hanging");
    const { base } = await serving([open]);
    expect(await told(await fetch(`${base}/v1/models`, { headers: { "x-gateway-api-key": "k" } }))).toEqual(sentence("api/hanging"));
    expect(openOf("api/hanging")).toBe(before + 1);
  });
  test("in a strategy", async () => {
    const stuck = policyOf("router", {
      strategies: {
        stuck: defineStrategy({
          settings: Type.Object({}),
          async *try() {
            yield await never<TargetNode>();
          },
        }),
      },
    });
    const { base } = await serving([open, stuck]);
    const config = JSON.stringify({ strategy: { mode: "stuck" }, targets: [{ provider: "p" }] });
    expect(await told(await embed(base, { "x-gateway-config": config }))).toEqual(sentence("policy/router"));
    expect(openOf("policy/router")).toBe(1);
  });
  test("in a route of its own", async () => {
    const before = openOf("api/hanging");
    const { base } = await serving([open]);
    expect(await told(await fetch(`${base}/v1/hang`))).toEqual(sentence("behind GET /v1/hang"));
    expect(openOf("api/hanging")).toBe(before + 1);
    expect(built?.generation.inFlight).toBe(0);
  });
});

test("whose code runs is told of an operation's own answer, a record, a page of the console and a provider's error", async () => {
  const exporter: Given = {
    manifest: { kind: "exporter", id: "seen" },
    module: () => ({
      default: definePlugin({
        kind: "exporter",
        config: Type.Object({}),
        needs: [],
        setup: () => ({
          provides: { record: () => entered("record", {}), withoutBodies: (item) => item, write: () => Promise.resolve() },
        }),
      }),
    }),
  };
  const pages: Given = {
    manifest: { kind: "console", id: "pages" },
    module: () => ({
      default: definePlugin({
        kind: "console",
        config: Type.Object({}),
        needs: [],
        setup: () => ({ provides: { mount: "/pages", asset: async () => entered("asset", new Blob(["page"])) } }),
      }),
    }),
  };
  const provider: Given = {
    manifest: { kind: "provider", id: "refusing", provides: ["embed"] },
    module: () => ({
      default: definePlugin({
        kind: "provider",
        config: Type.Object({}),
        needs: [],
        setup: () => ({
          provides: {
            target: Type.Object({}),
            endpoint: () => ({ baseUrl: "https://refusing.invalid", headers: {} }),
            error: () => entered("error", { message: "no" }),
            operations: { embed: { answer: async () => Response.json({}, { status: 400 }) } },
          },
        }),
      }),
    }),
  };
  seen.clear();
  const { base } = await serving([open, exporter, pages, provider]);
  for (const path of ["/pages", "/pages/", "/pages/index.html"])
    expect([path, await (await fetch(base + path)).text()]).toEqual([path, "page"]);
  expect(await told(await embed(base, { "x-gateway-provider": "refusing" }))).toEqual([400, "refusing error: no"]);
  expect((await fetch(`${base}/v1/models`, { headers: { "x-gateway-api-key": "k" } })).status).toBe(503);
  await until(() => seen.size === 4);
  expect(Object.fromEntries(seen)).toEqual({
    asset: "console/pages",
    error: "provider/refusing",
    local: "api/hanging",
    record: "exporter/seen",
  });
});

/** Sends this and says no more; resolves with what came back when the other side has closed. */
const sent = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let got = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
    const patience = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open after: ${got}`));
    }, 4_000);
    socket.on("data", (bytes) => {
      got += bytes.toString();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      clearTimeout(patience);
      resolve(got);
    });
  });
const head = (path: string, framing: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-gateway-api-key: k\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
const SLOW: readonly [string, string][] = [
  ["content-length: 100", '{"a'],
  ["transfer-encoding: chunked", '2\r\n{"\r\n'],
];

async function until(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + 4_000;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`not in time: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(["/v1/embeddings", "/v2/echo"])("a body for %s", (path) => {
  test.each(SLOW)("that does not come in time (%s) is 408, and its connection is let go", async (framing, beginning) => {
    const { port } = await serving([open], { bodyMs: 40 });
    const answer = await sent(port, head(path, framing) + beginning);
    expect(answer).toStartWith("HTTP/1.1 408");
    expect(answer).toContain("The request exceeded the timeout of 40 ms.");
    await until(() => built?.generation.inFlight === 0);
  });
  test.each(SLOW)("whose client leaves (%s) is not an error of ours", async (framing, beginning) => {
    const { port, lines } = await serving([open]);
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head(path, framing) + beginning));
    await until(() => built?.generation.inFlight === 1);
    socket.destroy();
    await until(() => built?.generation.inFlight === 0);
    expect(lines.filter((line) => line.includes("failed inside"))).toEqual([]);
    if (path.startsWith("/v1")) await until(() => ended.length === 1);
    expect(ended.map(({ status, ended: how }) => [status, how])).toEqual(path.startsWith("/v1") ? [[499, "aborted"]] : []);
  });
});
