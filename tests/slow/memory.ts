/** What a gateway process takes of memory, and what asks of it: for the suites that try to fill it. */
import { readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { GATEWAY_KEY, type GatewayProcess } from "../e2e/process.ts";

const statusOf = (pid: number, row: string): number =>
  Number(new RegExp(`${row}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
export const rssMb = ({ pid }: GatewayProcess): number => statusOf(pid, "VmRSS");
/** The most it took since `resetPeak`. */
export const peakMb = ({ pid }: GatewayProcess): number => statusOf(pid, "VmHWM");
export const resetPeak = ({ pid }: GatewayProcess): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");

/** A number of the gateway's own metrics. */
export async function metric(gateway: GatewayProcess, name: string): Promise<number> {
  const text = await (await fetch(`${gateway.base}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(text)?.[1]);
}

/** Asks `/healthz` all the while. */
export function watchHealth(gateway: GatewayProcess): { stop(): Promise<{ asked: number; failed: number; slowestMs: number }> } {
  const seen = { asked: 0, failed: 0, slowestMs: 0 };
  let going = true;
  const watching = (async () => {
    while (going) {
      const startedAt = performance.now();
      const good = await fetch(`${gateway.base}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
      seen.asked += 1;
      if (!good) seen.failed += 1;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    async stop() {
      going = false;
      await watching;
      return seen;
    },
  };
}

/** A client on a raw socket, that reads or does not. */
export interface RawClient {
  readonly socket: net.Socket;
  /** The status line's number, once it is there. */
  readonly status: Promise<number>;
  readonly received: () => string;
}
export function rawClient(
  gateway: GatewayProcess,
  headers: Readonly<Record<string, string>>,
  body: string | null,
  length = body?.length ?? 0,
): RawClient {
  const lines = [
    "POST /v1/chat/completions HTTP/1.1",
    "Host: gateway",
    "content-type: application/json",
    `x-gateway-api-key: ${GATEWAY_KEY}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${length}`,
  ];
  const socket = net.connect(gateway.port, "127.0.0.1");
  let text = "";
  const status = new Promise<number>((resolve, reject) => {
    socket.on("data", (data) => {
      if (text.length < 8_192) text += data.toString("latin1");
      const found = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed before a status came")));
  });
  status.catch(() => undefined); // some tests never ask
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
  return { socket, status, received: () => text };
}
