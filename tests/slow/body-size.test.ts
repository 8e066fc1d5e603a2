/**
 * No body holds the process: what a request costs the main thread grows with the size of its body and no faster, and
 * stays within bounds up to the largest body a route takes. The routes come from the gateway's own document.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "#contract";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "../e2e/process.ts";
import { type Probe, startProbe, type Waits } from "./probing.ts";
import { bodyRoutes, CONFIGS, LARGE_SHAPES, shapesOf } from "./body-shapes.ts";

const MAIN = join(import.meta.dir, "../../core/main.ts");
let gateway: GatewayProcess;
let probe: Probe;
/** A provider that reads what it is sent, and gives an image. */
const images = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    for await (const _ of request.body ?? []);
    return Response.json({ created: 1, data: [{ b64_json: "QUJD" }] });
  },
});
beforeAll(async () => {
  const env = { LOG_LEVEL: "error", GATEWAY_TRUSTED_HOSTS: "127.0.0.1" };
  gateway = await startGateway({ env, command: [process.execPath, "--max-http-header-size=300000", MAIN] });
  probe = await startProbe(gateway.base);
});
afterAll(async () => {
  probe.close();
  await images.stop(true);
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

/** From some megabytes on, each body brings a collection, which takes what it takes. */
const COLLECTED_FLOOR_MS = 20;
/** For twice the size: a cost that grows with the square of it shows 4. */
const MOST_GROWTH = 3;
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

type Sent = (n: number) => Promise<{ readonly cost: Cost; readonly text: string }>;
async function judged(what: string, of: Sent, sizes = SIZES): Promise<string[]> {
  const found: string[] = [];
  let before: number | undefined;
  for (const n of sizes) {
    const { cost: one, text } = await leastThatIsDear(of, n, before);
    const said = `${what}, ${Math.round(text.length / 1024)} KB: ${one.ms.toFixed(1)} ms (${one.status}), half of it ${before?.toFixed(1)}`;
    if (process.env["SHOW_COSTS"]) console.log(said);
    if (one.status >= 500 || isDear(one, text, before)) found.push(said);
    before = one.ms;
  }
  return found;
}

/** What is dear is measured again: the collector comes with one body of many megabytes and not with another. */
async function leastThatIsDear(of: Sent, n: number, before: number | undefined): ReturnType<Sent> {
  let best = await of(n);
  for (let again = 0; again < 4 && isDear(best.cost, best.text, before); again += 1) {
    const next = await of(n);
    if (next.cost.ms < best.cost.ms) best = next;
  }
  return best;
}

function isDear({ ms }: Cost, text: string, before: number | undefined): boolean {
  const parsing = parseMs(text);
  if (ms > MOST_MS + MS_PER_MB * (text.length / 1e6) + 2 * parsing) return true;
  // The parser itself takes more than twice as long for twice as many different names.
  const floor = text.length < 1e6 ? FLOOR_MS : COLLECTED_FLOOR_MS;
  return before !== undefined && ms > Math.max(MOST_GROWTH * Math.max(before, floor), 4 * parsing);
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
    for (const { name, text } of LARGE_SHAPES) found.push(...(await judged(name, costOf("POST", "/v1/chat/completions", text), LARGE)));
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

/* ── how long others wait ────────────────────────────────────────────────────────────────────────────────────── */

/** The noise of the machine holds up the server that does nothing too. What holds up only the gateway does so each time. */
async function nobodyWaits(attack: () => Promise<unknown>, attempts = 6): Promise<void> {
  const tries: Waits[] = [];
  for (let i = 0; i < attempts; i += 1) {
    await probe.waits();
    await attack();
    const waits = await probe.waits();
    if (waits.gateway <= waits.idle + MOST_MS) return;
    tries.push(waits);
  }
  expect(tries).toEqual([]);
}

const MB = 1024 * 1024;
const many = (count: number, of: (i: number) => string): string => Array.from({ length: count }, (_, i) => of(i)).join(",");
/** The sandbox answers with words of its own, so that what is measured is the request. */
const asking = (content: string, more = ""): string =>
  `{"model":"sandbox-text","messages":[{"role":"user","content":"${content}"}]${more === "" ? "" : `,${more}`}}`;
const conversation = (last: string): string =>
  `{"model":"sandbox-text","messages":[${many(13_000, () => '{"role":"user","content":"a"}')},${last}]}`;

const talk = (count: number, content: string, last: string): string =>
  `{"model":"sandbox-text","messages":[${many(count, () => `{"role":"user","content":"${content}"}`)},{"role":"user","content":"${last}"}]}`;
/** The text with these bytes in the place of "here". */
function between(text: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const [before = "", behind = ""] = text.split("here");
  return new Uint8Array(Buffer.concat([Buffer.from(before), bytes, Buffer.from(behind)]));
}

describe("a body near the limit keeps nobody waiting", () => {
  test.each<[string, () => string | Uint8Array<ArrayBuffer>, number]>([
    ["text", () => asking("a b c ".repeat(4.8 * MB)), 200],
    ["lines", () => asking("It was the best of times, it was the worst\\n".repeat(150_000)), 200],
    ["line breaks alone", () => asking("\\n".repeat(14 * MB)), 400],
    ["as much code as may be", () => asking('if (a) {\\n\\tsay(\\"b\\");\\n}\\n'.repeat(180_000)), 200],
    ["more code", () => asking('if (a) {\\n\\tsay(\\"b\\");\\n}\\n'.repeat(600_000)), 400],
    ["a long text that is echoed", () => asking("a b c ".repeat(4.8 * MB)).replace("sandbox-text", "sandbox-echo"), 200],
    ["Chinese", () => asking("漢".repeat(9 * MB)), 200],
    ["a picture and a Chinese word", () => asking("漢", `"picture":"${"QUJD".repeat(7 * MB)}"`), 200],
    ["a text whose last character is Chinese", () => asking(`${"a".repeat(15 * MB)}漢`), 200],
    ["a longer text whose last character is Chinese", () => asking(`${"a".repeat(29 * MB)}漢`), 400],
    ["a longer text whose first character is Chinese", () => asking(`漢${"a".repeat(29 * MB)}`), 400],
    ["a longer text whose last character is escaped Chinese", () => asking(`${"a".repeat(29 * MB)}\\u6f22`), 400],
    ["French", () => asking("é".repeat(14 * MB)), 200],
    ["French with a Chinese word at its end", () => asking(`${"é".repeat(14 * MB)}漢`), 200],
    ["emoji", () => asking("😀".repeat(7 * MB)), 200],
    ["every other character Chinese", () => asking("a漢".repeat(7 * MB)), 200],
    ["lines of Chinese", () => asking(`${"漢".repeat(50)}\\n`.repeat(170_000)), 200],
    ["14,000 messages of 2 KB, the last of which is Chinese", () => talk(14_000, "a".repeat(1950), "漢"), 200],
    ["14,000 messages of 2 KB of Chinese", () => talk(14_000, "漢".repeat(650), "漢"), 200],
    [
      "Chinese, and many names",
      () =>
        asking(
          "漢".repeat(9 * MB),
          many(20_000, (i) => `"name${i}":1`),
        ),
      200,
    ],
    ["a text of bytes that are no UTF-8", () => between(asking("here"), new Uint8Array(28 * MB).fill(0xfe)), 400],
    ["escaped Chinese", () => asking("\\u6f22".repeat(1_000_000)), 200],
    ["bytes that are no UTF-8", () => new Uint8Array(29 * MB).fill(0xff), 400],
    [
      "one byte that is no UTF-8",
      () => new Uint8Array(Buffer.concat([Buffer.from(asking("a".repeat(20 * MB))), Buffer.from([0xff])])),
      400,
    ],
    ["zeros", () => new Uint8Array(29 * MB), 400],
    ["pairs of quotes", () => '""'.repeat(14 * MB), 400],
    ["quotes in a text", () => asking('\\"'.repeat(14 * MB)), 400],
    ["spaces", () => asking("a", `"n":${" ".repeat(28 * MB)}1`), 400],
    ["some spaces", () => asking("a", `"n":${" ".repeat(3 * MB)}1`), 200],
    ["spaces between many values", () => asking("a", `"spaced":[${many(10_000, (i) => `${" ".repeat(2000)}${i}`)}]`), 200],
    ["numbers", () => asking("a", `"numbers":[${many(450_000, (i) => `${i}`)}]`), 200],
    ["numbers of 60 digits", () => asking("a", `"numbers":[${many(450_000, () => `0.${"123456".repeat(10)}`)}]`), 400],
    ["zeros and commas", () => "0,".repeat(14 * MB), 400],
    [
      "very many names",
      () =>
        asking(
          "a",
          many(240_000, (i) => `"name${i}":1`),
        ),
      400,
    ],
    [
      "many names",
      () =>
        asking(
          "a",
          many(20_000, (i) => `"name${i}":1`),
        ),
      200,
    ],
    ["many short texts", () => asking("a", `"texts":[${many(100_000, (i) => `"t${i}"`)}]`), 200],
    ["13,000 messages", () => conversation('{"role":"user","content":"b"}'), 200],
    ["13,000 messages, the last of which is wrong", () => conversation('{"role":5}'), 400],
  ])(
    "%s",
    async (_, made, status) => {
      const body = new Blob([made()]);
      const headers = { "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json", "x-gateway-provider": "sandbox" };
      await nobodyWaits(async () => {
        const response = await fetch(`${gateway.base}/v1/chat/completions`, { method: "POST", headers, body });
        await response.arrayBuffer();
        expect(response.status).toBe(status);
      });
    },
    60_000,
  );

  const WORDS = "some words of text ".repeat(1_400_000);
  test.each<[string, Json]>([
    ["/v1/embeddings", { model: "m", input: WORDS }],
    ["/v1/moderations", { input: WORDS }],
    ["/v1/moderations", { input: Array.from({ length: 256 }, () => WORDS.slice(0, 100_000)) }],
    ["/v1/rerank", { model: "m", query: "words", documents: Array.from({ length: 1_000 }, (_, i) => `${WORDS.slice(0, 15_000)}${i}`) }],
    ["/v1/completions", { model: "m", prompt: WORDS }],
    ["/v1/messages", { model: "echo", max_tokens: 10, messages: [{ role: "user", content: WORDS }] }],
    ["/v1/images/generations", { prompt: WORDS }],
  ])(
    "%s of many words",
    async (path, asked) => {
      const body = new Blob([JSON.stringify(asked)]);
      const headers = { "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json", "x-gateway-provider": "sandbox" };
      await nobodyWaits(async () => {
        const response = await fetch(gateway.base + path, { method: "POST", headers, body });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
      });
    },
    60_000,
  );

  const GUARDED = { input_guardrails: [{ "default.regexMatch": { rule: "(a+)+b", not: true }, deny: false }] };
  const FALLBACK = {
    strategy: { mode: "fallback" },
    targets: Array.from({ length: 20 }, (_, i) => ({
      provider: "sandbox",
      override_params: { model: `sandbox-text-${i}`, sandbox: { error: { status: 500, message: "no" } } },
    })),
  };
  test.each<[string, string, object, number]>([
    ["Chinese through a guardrail", asking("漢".repeat(9 * MB)), { provider: "sandbox", ...GUARDED }, 200],
    ["text through a guardrail", asking("a b c ".repeat(4.8 * MB)), { provider: "sandbox", ...GUARDED }, 200],
    ["Chinese to targets that fail", asking("漢".repeat(9 * MB)), FALLBACK, 500],
  ])(
    "%s",
    async (_, text, config, status) => {
      const body = new Blob([text]);
      const headers = { "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json", "x-gateway-config": JSON.stringify(config) };
      await nobodyWaits(async () => {
        const response = await fetch(`${gateway.base}/v1/chat/completions`, { method: "POST", headers, body });
        await response.arrayBuffer();
        expect(response.status).toBe(status);
      });
    },
    60_000,
  );

  const BOUNDARY = "----b";
  const field = (name: string, text: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const formOf = (fields: string, file = "file"): Blob =>
    new Blob([fields, field("image", file).replace('"image"', '"image"; filename="a.png"'), `--${BOUNDARY}--\r\n`]);
  const SENT_TO = { provider: "openai", api_key: "k", custom_host: `http://127.0.0.1:${images.port}/v1` };
  const AGAIN = { ...SENT_TO, retry: { attempts: 1 } };
  test.each<[string, () => Blob, object, number]>([
    ["a file, and may be sent again", () => formOf(field("prompt", "a hat"), "\0".repeat(28 * MB)), AGAIN, 200],
    ["a file of line ends", () => formOf(field("prompt", "a hat"), "\r\n".repeat(14 * MB)), AGAIN, 200],
    ["a file of beginnings of its boundary", () => formOf(field("prompt", "a hat"), "\r\n------".repeat(3 * MB)), AGAIN, 200],
    ["a field of control characters", () => formOf(field("prompt", "\u0001".repeat(30 * MB))), AGAIN, 200],
    ["a field of a word and line ends", () => formOf(field("prompt", `a${"\r\n".repeat(14 * MB)}`)), AGAIN, 200],
    [
      "a field that begins with line ends, and may be JSON that names ids",
      () => formOf(field("prompt", "\r\n".repeat(14 * MB))),
      AGAIN,
      400,
    ],
    ["a field of Chinese", () => formOf(field("prompt", "漢".repeat(9 * MB))), AGAIN, 200],
    ["a long field that ends in Chinese", () => formOf(field("prompt", `${"a".repeat(28 * MB)}漢`)), AGAIN, 400],
    [
      "990 fields of 24 KB of Chinese",
      () => formOf(Array.from({ length: 990 }, (_, i) => field(`p${i}`, "漢".repeat(8_000))).join("")),
      AGAIN,
      200,
    ],
    [
      "a field of control characters for a guardrail",
      () => formOf(field("prompt", "\u0001".repeat(30 * MB))),
      { ...SENT_TO, input_guardrails: [{ "default.contains": { words: ["zzz"], operator: "none" }, deny: false }] },
      200,
    ],
  ])(
    "a form of %s",
    async (_, made, config, status) => {
      const body = made();
      const headers = {
        "x-gateway-api-key": GATEWAY_KEY,
        "x-gateway-config": JSON.stringify(config),
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      };
      await nobodyWaits(async () => {
        const response = await fetch(`${gateway.base}/v1/images/edits`, { method: "POST", headers, body });
        await response.arrayBuffer();
        expect(response.status).toBe(status);
      });
    },
    60_000,
  );
});

describe("a large record keeps nobody waiting", () => {
  const admin = async (method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await ask(gateway.base + path, method, ADMIN_KEY, body);
    expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
    return answer.json;
  };
  test.each<[string, Json]>([
    ["one long text", { user: "y".repeat(1_000_000) }],
    ["many members", Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, "v".repeat(90) + i]))],
  ])(
    "a config of %s, saved again and again, read, and listed with its versions",
    async (_, override_params) => {
      const config = { provider: "openai", override_params };
      const made = await admin("POST", "/v2/configs", { name: "Large", workspace_id: "default", config });
      const path = `/v2/configs/${String((made["data"] as unknown as Json)["slug"])}`;
      for (let i = 0; i < 24; i += 1) await admin("PUT", path, { config });
      await nobodyWaits(() => admin("PUT", path, { config }));
      await nobodyWaits(() => admin("GET", path));
      await nobodyWaits(async () => {
        const list = await admin("GET", `${path}/versions`);
        expect([Number(list["total"]) >= 25, (list["data"] as readonly Json[]).length]).toEqual([true, 4]);
      });
      await nobodyWaits(() => admin("GET", "/v2/configs"));
    },
    60_000,
  );

  test("a config of 950 credentials, saved anew, and saved as it was shown", async () => {
    const config = (round: number): Json => ({
      strategy: { mode: "fallback" },
      targets: Array.from({ length: 19 }, (_, i) => ({
        strategy: { mode: "fallback" },
        targets: Array.from({ length: 50 }, (__, j) => ({ provider: "openai", api_key: `sk-proj-${round}-${i}-${j}-0123456789` })),
      })),
    });
    const made = await admin("POST", "/v2/configs", { name: "Keys", workspace_id: "default", config: config(0) });
    const path = `/v2/configs/${String((made["data"] as unknown as Json)["slug"])}`;
    // As many secrets as a process remembers: a new one takes no longer for that.
    for (let round = 1; round < 11; round += 1) await admin("PUT", path, { config: config(round) });
    let round = 11;
    await nobodyWaits(() => admin("PUT", path, { config: config(round++) }));
    const shown = ((await admin("GET", path))["data"] as unknown as Json)["config"] as Json;
    await nobodyWaits(() => admin("PUT", path, { config: shown }));
  }, 60_000);

  test("a list of keys with large defaults", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, "v".repeat(80)]));
    for (let i = 0; i < 12; i += 1)
      await admin("POST", "/v2/api-keys/workspace/service", {
        name: `Large ${i}`,
        workspace_id: "default",
        scopes: ["completions.write"],
        defaults: { metadata },
      });
    await nobodyWaits(async () => {
      expect((await admin("GET", "/v2/api-keys"))["total"]).toBeGreaterThanOrEqual(12);
    });
  }, 60_000);
});
