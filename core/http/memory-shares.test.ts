/** Whose memory a request takes, and when it goes back before the request has ended. */
import { afterEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { Type } from "@sinclair/typebox";
import { type Caller, definePlugin, defineStrategy, headerClasses, type Policy, NO_CONTENT } from "#contract";
import { bootWith, type Given } from "#kit";
import { createEgress } from "../egress/egress.ts";
import type { Built } from "../kernel/boot.ts";
import { MemoryBudget } from "../kernel/process/memory-budget.ts";
import { ownKeys } from "../kernel/secrets/own-keys.ts";
import { serveGeneration } from "./server.ts";

const MB = 1024 * 1024;
/** An organisation's own key: it is of no workspace. */
const callerOf = (organisationId: string): Caller => ({
  organisationId,
  workspaceId: null,
  keyId: "k",
  keyName: "k",
  keyType: "organisation-service",
  userId: null,
  scopes: new Set(["completions.write", "logs.view"]),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
});
const inTurn = defineStrategy({
  settings: Type.Object({}),
  *try({ targets }) {
    yield* targets;
  },
});
const policyOf = (id: string, provides: Policy): Given => ({
  manifest: { kind: "policy", id, provides: Object.keys(provides.strategies ?? {}) },
  module: () => ({ default: definePlugin({ kind: "policy", config: Type.Object({}), needs: [], setup: () => ({ provides }) }) }),
});
const door = policyOf("door", { identify: ({ key }) => callerOf(key ?? "") });
const routing = policyOf("routing", { strategies: { "in-turn": inTurn } });
const api: Given = {
  manifest: { kind: "api", id: "embeddings", provides: ["embed"] },
  module: () => ({
    default: definePlugin({
      kind: "api",
      config: Type.Object({}),
      needs: [],
      setup: () => ({
        provides: {
          operations: [{ operation: "embed", content: NO_CONTENT, reply: Type.Unknown() }],
          routes: [
            {
              ...{ plane: "control", method: "POST", path: "/echo", tag: "t", summary: "s", scope: "logs.view" },
              ...{ body: Type.Object({}), maxBodyBytes: 4 * MB, reply: Type.Unknown(), handle: () => ({ ok: true }) },
            },
          ],
        },
      }),
    }),
  }),
};
const providerAt = (baseUrl: string): Given => ({
  manifest: { kind: "provider", id: "acme" },
  module: () => ({
    default: definePlugin({
      kind: "provider",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { target: Type.Object({}), endpoint: () => ({ baseUrl, headers: {} }), operations: { embed: {} } } }),
    }),
  }),
});

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
function listening(fetch: (request: Request) => Response | Promise<Response>): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });
  ends.push(() => server.stop(true));
  return Number(server.port);
}
async function serving(memory: MemoryBudget, answer: (request: Request) => Response | Promise<Response>): Promise<number> {
  const egress = createEgress({ trustedHosts: ["127.0.0.1"], hardTimeoutMs: 5_000, now: Date.now, gatewayId: "g" });
  const built: Built = await bootWith([door, routing, api, providerAt(`http://127.0.0.1:${listening(answer)}`)], { egress });
  ends.push(() => built.end());
  const served = serveGeneration(built.generation, {
    maxJsonBytes: 4 * MB,
    maxDepth: 10,
    headers: headerClasses([]),
    ownKeys: ownKeys({ digest: (text) => text }),
    now: Date.now,
    log: built.generation.log,
    redact: (value) => value,
    isLoop: () => false,
    memory,
  });
  return listening((request) => served.fetch(request));
}
async function until(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + 4_000;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`not in time: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const ask = (port: number, path: string, headers: Record<string, string>, input: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-api-key": "a", ...headers },
    body: JSON.stringify({ model: "m", input }),
  });

describe.each(["/v1/embeddings", "/v2/echo"])("at %s", (path) => {
  test("keys of organisations do not share one share of the memory", async () => {
    const memory = new MemoryBudget(10 * MB);
    const port = await serving(memory, () => Response.json({}));
    const waiting = net.connect(port, "127.0.0.1");
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-gateway-api-key: a\r\nx-gateway-provider: acme\r\ncontent-type: application/json`;
    waiting.write(`${head}\r\ncontent-length: 1250000\r\n\r\n{`);
    await until(() => memory.used > 4 * MB);
    const asking = (key: string) =>
      ask(port, path, { "x-gateway-api-key": key, "x-gateway-provider": "acme" }, "x".repeat(1.1 * MB)).then(({ status }) => status);
    expect(await asking("b")).toBe(200);
    expect(await asking("a")).toBe(503); // its own share is one
    waiting.destroy();
    await until(() => memory.used === 0);
  });
});

test("what a target's answer held goes back before the next target is tried", async () => {
  const memory = new MemoryBudget(100 * MB);
  const used: number[] = [];
  const port = await serving(memory, () => {
    used.push(memory.used);
    return used.length < 3 ? Response.json({ error: { message: "x".repeat(200_000) } }, { status: 500 }) : Response.json({});
  });
  const config = JSON.stringify({ strategy: { mode: "in-turn" }, targets: Array(3).fill({ provider: "acme" }) });
  expect((await ask(port, "/v1/embeddings", { "x-gateway-config": config }, "x")).status).toBe(200);
  expect(used).toEqual(Array(3).fill(used[0]));
  await until(() => memory.used === 0);
});
