/** A provider from outside the tree whose stream is lines of JSON: read by its declared framing, whatever its content type says. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, chat, type GatewayProcess, startGateway } from "./process.ts";
import { chunk, head, LAST_CHUNK, type WireUpstream, wireUpstream } from "./wire-upstream.ts";

const SOURCE = join(import.meta.dir, "../external/acme-lines");
const home = mkdtempSync(join(tmpdir(), "gateway-lines-"));
const folder = join(home, "plugins/acme-lines");

let gateway: GatewayProcess;
let upstream: WireUpstream;
/** What the provider says next: its content type and its pieces. */
let type = "application/x-ndjson";
let pieces: readonly Uint8Array[] = [];
/** What it waits for before it sends the second. */
let between: Promise<void> | undefined;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  cpSync(join(SOURCE, "manifest.json"), join(folder, "manifest.json"));
  const built = Bun.spawnSync([process.execPath, "build", "index.ts", "--target=bun", `--outfile=${folder}/dist/index.js`], {
    cwd: SOURCE,
  });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  const profile = join(home, "profile.json");
  writeFileSync(profile, JSON.stringify({ title: "With Acme", extends: "default", pluginsDir: "plugins" }));
  upstream = await wireUpstream({
    lines: async (call) => {
      call.send(head(type));
      for (const piece of pieces) {
        call.send(chunk(piece));
        await between;
        if (pieces.length < 500) await new Promise((resolve) => setImmediate(resolve)); // each a packet of its own
      }
      call.send(LAST_CHUNK);
    },
  });
  gateway = await startGateway({
    env: { GATEWAY_PROFILE: profile, GATEWAY_TRUSTED_HOSTS: "127.0.0.1", REQUEST_TIMEOUT: "5000" },
    cwd: home,
  });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  upstream.close();
  rmSync(home, { recursive: true, force: true });
});

const target = () => ({ provider: "acme-lines", custom_host: `${upstream.url}/lines`, api_key: "k" });
const asked = (config: object = {}, body: object = {}): Promise<Answer> =>
  chat(
    gateway,
    { model: "m", stream: true, stream_options: { include_usage: true }, ...body },
    {
      "x-gateway-provider": "",
      "x-gateway-config": JSON.stringify({ ...target(), ...config }),
    },
  );
const says = (...parts: readonly string[]): void => {
  pieces = parts.map((part) => new TextEncoder().encode(part));
};
const contentOf = ({ text }: Pick<Answer, "text">): string =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => (JSON.parse(frame.slice(6)) as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "")
    .join("");
const isWhole = (answer: Answer): boolean =>
  answer.status === 200 && answer.text.trimEnd().endsWith("data: [DONE]") && !answer.text.includes('"error"');

const LINES = '{"text":"Hällo "}\n{"text":"world"}\n{"done":true,"in":3,"out":5}\n';
const TYPES = [
  "application/x-ndjson",
  "application/json",
  "application/json; charset=utf-8",
  "application/stream+json",
  "text/plain",
  "text/event-stream",
];

test("it is asked for what its framing is", async () => {
  says(LINES);
  await asked();
  expect(upstream.calls.at(-1)?.text).toMatch(/\r\naccept: application\/x-ndjson\r\n/i);
});

describe.each(TYPES)("%s", (contentType) => {
  test("a stream is a stream", async () => {
    type = contentType;
    says(LINES);
    const answer = await asked();
    expect([isWhole(answer), contentOf(answer)]).toEqual([true, "Hällo world"]);
    expect(answer.text).toContain('"total_tokens":8');
  });
  test("also when its lines end with CRLF, and the last with nothing", async () => {
    type = contentType;
    says(LINES.replaceAll("\n", "\r\n").trimEnd());
    expect(contentOf(await asked())).toBe("Hällo world");
  });
  test("one line without a finish is no clean answer", async () => {
    type = contentType;
    for (const line of ['{"text":"Hello"}', '{"text":"Hello"}\n']) {
      says(line);
      const answer = await asked();
      expect(answer.text).toContain("stream_incomplete");
      expect(answer.text).not.toContain("[DONE]");
    }
  });
  test("a line that says nothing, and no more, is no answer at all", async () => {
    type = contentType;
    for (const line of ['{"hello":1}', "{}\n", "[]", "", "\n\n"]) {
      says(line);
      expect((await asked()).status).toBe(502);
    }
  });
  test("a whole answer is streamed, on one line or on several", async () => {
    type = contentType;
    const whole = { answer: "Hello world", done: true, in: 3, out: 5 };
    for (const text of [JSON.stringify(whole, null, 2), `${JSON.stringify(whole, null, 2)}\n`]) {
      says(text);
      const answer = await asked();
      expect([isWhole(answer), contentOf(answer)]).toEqual([true, "Hello world"]);
    }
  });
  test("an error under a good status is the provider's error, whole or as a line", async () => {
    type = contentType;
    for (const text of [
      '{"fault":"slow down"}',
      '{"fault":"slow down"}\n',
      '{\n  "fault": "slow down"\n}\n',
      '{"error":{"message":"slow down"}}',
    ]) {
      says(text);
      const answer = await asked();
      expect([answer.status >= 400, answer.json as object]).toMatchObject([true, { error: { message: "acme-lines error: slow down" } }]);
    }
  });
});

test("an error behind the first line is an error event", async () => {
  says('{"text":"Hello"}\n', '{"fault":"slow down"}\n');
  const seen = Promise.withResolvers<void>();
  between = seen.promise;
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-api-key": gateway.gatewayKey, "x-gateway-config": JSON.stringify(target()) },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] }),
  });
  seen.resolve(); // its first line has begun the answer
  const text = await response.text();
  between = undefined;
  expect([response.status, contentOf({ text }), text.includes("slow down"), text.includes("[DONE]")]).toEqual([200, "Hello", true, false]);
});

test("it is the same stream wherever its bytes are cut", async () => {
  type = "application/json";
  const bytes = new TextEncoder().encode(LINES);
  for (let at = 1; at < bytes.length; at += 1) {
    pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    const answer = await asked();
    if (!isWhole(answer) || contentOf(answer) !== "Hällo world") throw new Error(`cut at byte ${at}: ${answer.text}`);
  }
  pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(contentOf(await asked())).toBe("Hällo world");
}, 60_000);

test("an answer that breaks off before its finish falls back to another target", async () => {
  says('{"hello":1}\n');
  const answer = await chat(
    gateway,
    { model: "m", stream: true },
    {
      "x-gateway-provider": "",
      "x-gateway-config": JSON.stringify({
        strategy: { mode: "fallback" },
        targets: [
          { provider: "acme-lines", custom_host: `${upstream.url}/lines`, api_key: "k" },
          { provider: "sandbox", override_params: { model: "echo" } },
        ],
      }),
    },
  );
  expect([answer.status, answer.headers.get("x-gateway-last-used-option-index")]).toEqual([200, "config.targets[1]"]);
});

test("a guardrail judges it like any other stream", async () => {
  says(LINES);
  const guards = (word: string) => ({ output_guardrails: [{ "default.contains": { words: [word], operator: "none" }, deny: true }] });
  expect((await asked(guards("world"))).status).toBe(446);
  expect(contentOf(await asked(guards("moon")))).toBe("Hällo world");
});
