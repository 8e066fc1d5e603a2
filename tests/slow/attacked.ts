/** A gateway, an upstream of the caller's choosing behind it, and a watch over whoever asks for something else meanwhile. */
import { expect } from "bun:test";
import { ask, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { metric, peakMb, resetPeak } from "./memory.ts";
import { nobodyWaits, startProbe } from "./probing.ts";

export interface Sent {
  readonly path: string;
  readonly body: string | Blob;
  readonly config: object;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface Got {
  readonly status: number;
  /** The first of a long answer, and the last of it. */
  readonly begin: string;
  readonly end: string;
}
export interface Attacked {
  readonly gateway: GatewayProcess;
  /** Where the upstream is, with `/v1`. */
  readonly upstream: string;
  /** What the upstream answers from now on. */
  answers(bytes: string | Uint8Array, type: string): void;
  /** Sends a request, and waits for its record in the log. */
  send(sent: Sent): Promise<Got>;
  /** Nobody waits meanwhile, and nothing of it is left. Says how many megabytes the process took at most. */
  quiet(what: string, attack: () => Promise<Got>, check: (got: Got) => void): Promise<number>;
  stop(): Promise<void>;
}

const OK = JSON.stringify({
  ...{ id: "x", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

export async function startAttacked(env: Readonly<Record<string, string>> = {}): Promise<Attacked> {
  let answer = { bytes: Buffer.from(OK), type: "application/json" };
  const upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      for await (const _ of request.body ?? []);
      return new Response(answer.bytes, { headers: { "content-type": answer.type } });
    },
  });
  const gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1", ...env } });
  const probe = await startProbe(gateway.base);
  return {
    gateway,
    upstream: `http://127.0.0.1:${upstream.port}/v1`,
    answers(bytes, type) {
      answer = { bytes: Buffer.from(bytes), type };
    },
    send: (sent) => send(gateway, sent),
    async quiet(what, attack, check) {
      resetPeak(gateway);
      const waits = await nobodyWaits(probe, attack, check);
      const peak = peakMb(gateway);
      console.log(`${what}: /healthz ${waits.gateway.toFixed(0)} ms, idle ${waits.idle.toFixed(0)}; peak ${peak.toFixed(0)} MB`);
      await until("nothing of it is held", async () => (await metric(gateway, "gateway_memory_used_bytes")) === 0, 20_000);
      return peak;
    },
    async stop() {
      probe.close();
      await gateway.stop();
      gateway.remove();
      await upstream.stop(true);
    },
  };
}

async function send({ base, gatewayKey }: GatewayProcess, { path, body, config, headers }: Sent): Promise<Got> {
  const response = await fetch(base + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": gatewayKey,
      "x-gateway-config": JSON.stringify(config),
      ...headers,
    },
    body,
  });
  let [begin, end] = ["", ""];
  for await (const chunk of response.body ?? []) {
    if (begin.length < 2_000) begin += Buffer.from(chunk.subarray(0, 2_000)).toString();
    end = (end + Buffer.from(chunk.subarray(-2_000)).toString()).slice(-2_000);
  }
  const record = `${base}/v1/logs/${response.headers.get("x-gateway-trace-id")}`;
  await until("it is logged", async () => (await ask(record, "GET", gatewayKey)).status === 200);
  return { status: response.status, begin, end };
}

export const good = ({ status, end }: Got): void => expect([status, status === 200 ? "" : end]).toEqual([200, ""]);
export const refusedFor =
  (why: RegExp) =>
  ({ status, end }: Got): void => {
    expect(status).toBe(400);
    expect(end).toMatch(why);
  };
