/**
 * No body holds the process: what a request costs the main thread grows with the size of its body and no faster, and
 * stays within bounds up to the largest body a route takes. The routes come from the gateway's own document.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "#contract";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "../e2e/process.ts";
import { bodyRoutes, CONFIGS, LARGE_SHAPES, shapesOf } from "./body-shapes.ts";

const MAIN = join(import.meta.dir, "../../core/main.ts");
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOG_LEVEL: "error" }, command: [process.execPath, "--max-http-header-size=300000", MAIN] });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

/** Milliseconds that the gateway's main thread has worked: not disturbed by others who use the machine. */
const worked = (): number => Number(readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

interface Cost {
  readonly status: number;
  readonly ms: number;
}
async function sent(method: string, path: string, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Cost> {
  const before = worked();
  const key = path.startsWith("/v1") ? GATEWAY_KEY : ADMIN_KEY;
  const response = await fetch(gateway.base + path, {
    method,
    headers: { "x-gateway-api-key": key, "content-type": "application/json", "x-gateway-provider": "sandbox", ...headers },
    body: text,
  });
  await response.arrayBuffer();
  return { status: response.status, ms: worked() - before };
}
/** Below this, the costs that every request has hide the body's. */
const FLOOR_MS = 12;
const MOST_TIMES = 5;
/** The least of five: what other work of the process added is not the body's. What is below the floor is judged as the floor. */
async function least(send: (nth: number) => Promise<Cost>): Promise<Cost> {
  let best = await send(0);
  for (let nth = 1; nth < MOST_TIMES && best.ms > FLOOR_MS; nth += 1) {
    const one = await send(nth);
    if (one.ms < best.ms) best = one;
  }
  return best;
}

const MOST_GROWTH = 2.6;
/** Beyond what receiving and parsing the text takes. */
const MOST_MS = 50;
/** Receiving a body, and passing it on. */
const MS_PER_MB = 10;

function parseMs(text: string): number {
  const startedAt = performance.now();
  JSON.parse(text);
  return performance.now() - startedAt;
}

/** Sizes at which a body is sent: the last comes near the limits of the control plane. */
const SIZES = [2_500, 5_000, 10_000, 20_000];
/** Near the limits of the data plane. */
const LARGE = [100_000, 200_000, 400_000];
/** Of bodies of many megabytes: the collector comes with some and not with others. What grows with the square takes four times as long. */
const LARGE_GROWTH = 3.5;

type Sent = (n: number) => Promise<{ readonly cost: Cost; readonly text: string }>;
async function judged(what: string, of: Sent, sizes = SIZES, mostGrowth = MOST_GROWTH): Promise<string[]> {
  const found: string[] = [];
  let before: number | undefined;
  for (const n of sizes) {
    const { cost: one, text } = await of(n);
    const said = `${what}, ${Math.round(text.length / 1024)} KB: ${one.ms.toFixed(1)} ms (${one.status}), half of it ${before?.toFixed(1)}`;
    if (process.env["SHOW_COSTS"]) console.log(said);
    if (one.status >= 500) found.push(said);
    const parsing = parseMs(text);
    if (one.ms > MOST_MS + MS_PER_MB * (text.length / 1e6) + 2 * parsing) found.push(said);
    // The parser itself takes more than twice as long for twice as many different names.
    if (before !== undefined && one.ms > Math.max(mostGrowth * Math.max(before, FLOOR_MS), 4 * parsing)) found.push(said);
    before = one.ms;
  }
  return found;
}

const costOf =
  (method: string, path: string, text: (n: number) => string): Sent =>
  async (n) => ({ text: text(n), cost: await least(() => sent(method, path, text(n))) });

describe("what a body costs grows with its size", () => {
  test("on every route that judges one by a schema", async () => {
    const document = (await ask(`${gateway.base}/openapi.json`, "GET", null)).json as Json;
    const routes = bodyRoutes(document);
    expect(routes.length).toBeGreaterThan(15);
    const found: string[] = [];
    for (const { method, path, schema } of routes)
      for (const { name, text } of shapesOf(schema, document))
        found.push(
          ...(await judged(`${method} ${path} ${name}`, async (n) => ({
            text: text(n),
            cost: await least(() => sent(method, path, text(n))),
          }))),
        );
    expect(found).toEqual([]);
  }, 240_000);

  test("on the data plane, up to its own limits", async () => {
    const found: string[] = [];
    for (const { name, text } of LARGE_SHAPES)
      found.push(...(await judged(name, costOf("POST", "/v1/chat/completions", text), LARGE, LARGE_GROWTH)));
    expect(found).toEqual([]);
  }, 120_000);

  test.each(Object.entries(CONFIGS))("in a saved config: %s", async (name, config) => {
    const made = await ask(`${gateway.base}/v2/configs`, "POST", ADMIN_KEY, {
      name,
      workspace_id: "default",
      config: { provider: "sandbox" },
    });
    const path = `/v2/configs/${String((made.json["data"] as unknown as Json)["slug"])}`;
    const body = (n: number): string => JSON.stringify({ config: config(n) });
    // Each is an update of what the one before has saved.
    expect(await judged(name, async (n) => ({ text: body(n), cost: await least(() => sent("PUT", path, body(n))) }))).toEqual([]);
  });

  test.each(Object.entries(CONFIGS))("in a config of a header: %s", async (name, config) => {
    const chat = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }] });
    const asked = async (n: number) => {
      const text = JSON.stringify(config(n / 2));
      // A text that was compiled before is not compiled again, so that each is another one.
      const send = (nth: number): Promise<Cost> =>
        sent("POST", "/v1/chat/completions", chat, { "x-gateway-config": `{${" ".repeat(nth)}${text.slice(1)}` });
      return { text, cost: text.length > 262_000 ? { status: 0, ms: 0 } : await least(send) };
    };
    expect(await judged(name, asked)).toEqual([]);
  });
});

describe("a body that is refused for its size costs next to nothing", () => {
  const nested = (levels: number): Json => (levels === 0 ? { provider: "sandbox" } : { targets: [nested(levels - 1)] });
  test.each<[string, string, string, number]>([
    ["15 MB of opening brackets", "/v2/configs", "[".repeat(15_000_000), 413],
    ["15 MB of opening brackets on the data plane", "/v1/chat/completions", "[".repeat(15_000_000), 400],
    ["1 MB of opening brackets", "/v2/configs", "[".repeat(1_000_000), 400],
    ["1 MB of empty lists", "/v2/configs", `{"config":[${"[],".repeat(300_000)}1]}`, 400],
    ["30 MB of empty lists on the data plane", "/v1/chat/completions", `{"messages":[${"[],".repeat(10_000_000)}1]}`, 400],
    [
      "1000 targets with 300 each",
      "/v2/configs",
      JSON.stringify({ config: { targets: Array.from({ length: 1000 }, () => ({ targets: Array.from({ length: 300 }, () => ({})) })) } }),
      400,
    ],
    ["30 levels of targets", "/v2/configs", JSON.stringify({ config: nested(30) }), 200],
    ["60 levels of targets", "/v2/configs", JSON.stringify({ config: nested(60) }), 200],
    ["1000 levels of targets", "/v2/configs", JSON.stringify({ config: nested(1000) }), 400],
  ])("%s", async (_, path, text, status) => {
    const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;
    const before = memory();
    const one = await sent("POST", path, text);
    expect({
      status: one.status,
      fast: one.ms < MOST_MS + MS_PER_MB * (text.length / 1e6) || one.ms,
      small: memory() - before < 150 || memory() - before,
    }).toEqual({
      status,
      fast: true,
      small: true,
    });
  });
});
