/** A stream ends with its wire's terminal marker, whatever its provider does with the connection; and never later than REQUEST_TIMEOUT. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";
import { chunk, head, LAST_CHUNK, type Script, type WireUpstream, wireUpstream } from "./wire-upstream.ts";
import { type Wire, WIRES } from "./wires.ts";
import { verifies } from "../requirements/verifies.ts";

const LIMIT_MS = 1_500;
/** A client waits no longer for the end of a stream. */
const GIVEN_UP_MS = 4_000;
let gateway: GatewayProcess;
let upstream: WireUpstream;
let markerAt = 0;
const timers = new Set<ReturnType<typeof setInterval>>();

const answer = (wire: Wire): Uint8Array => Buffer.concat([wire.begins, wire.finish, wire.marker ?? new Uint8Array(0)]);
function scriptsOf(name: string, wire: Wire): Record<string, Script> {
  const begin: Script = (call) => call.send(head(wire.type));
  const whole: Script = (call) => {
    begin(call);
    call.send(chunk(wire.begins));
    markerAt = performance.now();
    call.send(chunk(Buffer.concat([wire.finish, wire.marker ?? new Uint8Array(0)])));
  };
  const forEver = (call: Parameters<Script>[0], part: Uint8Array): void => {
    const timer = setInterval(() => (call.closedAt === null ? call.send(chunk(part)) : clearInterval(timer)), 40);
    timers.add(timer);
  };
  return {
    [`${name}-open`]: whole,
    [`${name}-late-usage`]: (call) => {
      begin(call);
      call.send(chunk(Buffer.concat([wire.begins, wire.finish])));
      setTimeout(() => {
        markerAt = performance.now();
        call.send(chunk(wire.marker ?? new Uint8Array(0)));
      }, 60);
    },
    [`${name}-more`]: (call) => {
      begin(call);
      markerAt = performance.now();
      call.send(chunk(Buffer.concat([answer(wire), wire.begins, wire.finish])));
      forEver(call, wire.begins);
    },
    [`${name}-closes`]: (call) => {
      whole(call);
      call.send(LAST_CHUNK);
    },
    [`${name}-silent`]: (call) => {
      begin(call);
      call.send(chunk(wire.begins));
    },
    [`${name}-pings`]: (call) => {
      begin(call);
      call.send(chunk(wire.begins));
      forEver(call, wire.ping ?? new Uint8Array(0));
    },
    [`${name}-only-pings`]: (call) => {
      begin(call);
      forEver(call, wire.ping ?? new Uint8Array(0));
    },
    [`${name}-unmarked`]: (call) => {
      begin(call);
      call.send(chunk(Buffer.concat([wire.begins, wire.finish])));
      if (wire.ping) forEver(call, wire.ping);
    },
  };
}

beforeAll(async () => {
  upstream = await wireUpstream(Object.assign({}, ...Object.entries(WIRES).map(([name, wire]) => scriptsOf(name, wire))));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1", REQUEST_TIMEOUT: String(LIMIT_MS) } });
});
afterAll(async () => {
  for (const timer of timers) clearInterval(timer);
  await gateway.stop();
  gateway.remove();
  upstream.close();
});

interface Streamed {
  readonly status: number;
  readonly id: string;
  readonly text: string;
  readonly endedAt: number;
}
const GUARD = { "default.contains": { words: ["bad"], operator: "none" }, deny: true };
/** A whole stream as its client reads it. */
async function streamed(path: string, wire: Wire, guarded = false, usage = true): Promise<Streamed> {
  const headers = wire.headers(`${upstream.url}/${path}`);
  const config = { output_guardrails: [GUARD] };
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    signal: AbortSignal.timeout(GIVEN_UP_MS),
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": GATEWAY_KEY,
      ...headers,
      ...(guarded && { "x-gateway-config": JSON.stringify(config) }),
    },
    body: JSON.stringify({
      model: "m",
      stream: true,
      ...(usage && { stream_options: { include_usage: true } }),
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  const text = await response.text();
  return { status: response.status, id: String(response.headers.get("x-gateway-request-id")), text, endedAt: performance.now() };
}
const contentOf = (text: string): string =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => (JSON.parse(frame.slice(6)) as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "")
    .join("");
const recordOf = (id: string) =>
  until("the log has the request", async () => {
    const answer = await ask(`${gateway.base}/v1/logs/${id}`, "GET", gateway.gatewayKey);
    return answer.status === 200 && (answer.json as unknown as { metrics: Record<string, unknown>; response: { status: number } });
  });
const callTo = (path: string) => upstream.calls.findLast((call) => call.path.startsWith(`/${path}/`));
/** A machine that does other things at the same time. */
const NOISE_MS = 150;

for (const [name, wire] of Object.entries(WIRES)) {
  const markerless = wire.marker === null;
  /** Where the wire has no marker, a moment of silence behind the finish is its end. */
  const endMs = (markerless ? 350 : 100) + NOISE_MS;
  describe(name, () => {
    for (const guarded of [false, true]) {
      const how = guarded ? ", held back by a guardrail" : "";
      test(`an answer whose provider keeps the connection open has its end at once${how}`, async () => {
        const got = await streamed(`${name}-open`, wire, guarded);
        expect({ status: got.status, content: contentOf(got.text), done: got.text.trimEnd().endsWith("data: [DONE]") }).toEqual({
          status: 200,
          content: "Hello",
          done: true,
        });
        expect(got.endedAt - markerAt).toBeLessThan(endMs);
        const call = callTo(`${name}-open`);
        const closedAt = await until("the provider was let go", () => call?.closedAt ?? undefined);
        expect(closedAt - markerAt).toBeLessThan(endMs + 250 + NOISE_MS);
        expect(await recordOf(got.id)).toMatchObject({ metrics: { req_units: 3, res_units: 5 }, response: { status: 200 } });
      });
      test(`what comes behind the end is not sent${how}`, async () => {
        const got = await streamed(`${name}-more`, wire, guarded);
        expect(contentOf(got.text)).toBe("Hello");
        expect(got.text.match(/\[DONE\]/g)).toHaveLength(1);
        const call = callTo(`${name}-more`);
        await until("the provider was let go", () => call?.closedAt ?? undefined);
      }, 10_000);
      test(verifies("D2.hard-limit", `a provider that falls silent ends as a timeout${how}`), async () => {
        const startedAt = performance.now();
        const got = await streamed(`${name}-silent`, wire, guarded);
        expect(got.text).toContain("timeout_error");
        expect(got.text).not.toContain("[DONE]");
        expect(got.status).toBe(guarded ? 408 : 200);
        expect(got.endedAt - startedAt).toBeLessThan(LIMIT_MS + 1_000);
      });
      if (wire.ping !== null) {
        test(`signs of life without an answer are no answer${how}`, async () => {
          for (const path of [`${name}-pings`, `${name}-only-pings`]) {
            const startedAt = performance.now();
            const got = await streamed(path, wire, guarded);
            expect(got.text).toContain("timeout_error");
            expect(got.endedAt - startedAt).toBeLessThan(LIMIT_MS + 1_000);
          }
        }, 15_000);
      }
      if (!wire.endsWithMarker) {
        test(`a complete answer without its marker is complete${how}`, async () => {
          const got = await streamed(`${name}-unmarked`, wire, guarded);
          expect({ status: got.status, content: contentOf(got.text), done: got.text.trimEnd().endsWith("data: [DONE]") }).toEqual({
            status: 200,
            content: "Hello",
            done: true,
          });
        }, 10_000);
      }
    }
    test("usage between the finish and the marker is read, and hidden from who did not ask", async () => {
      const got = await streamed(`${name}-late-usage`, wire, false, false);
      expect(got.text).not.toContain('"usage":{');
      expect(await recordOf(got.id)).toMatchObject({ metrics: { req_units: 3, res_units: 5 } });
    });
    test("a provider that ends its answer serves the next request on the same connection", async () => {
      for (let i = 0; i < 3; i += 1) await streamed(`${name}-closes`, wire);
      const before = upstream.connections;
      for (let i = 0; i < 10; i += 1) await streamed(`${name}-closes`, wire);
      expect(upstream.connections).toBe(before);
    });
  });
}

test("no exchange stays open", async () => {
  await until("the count of open answers is 0", async () =>
    (await (await fetch(`${gateway.base}/metrics`)).text()).includes("gateway_upstream_open 0\n"),
  );
});
