import { expect } from "bun:test";
import { join } from "node:path";
import { slowness } from "../kit/slowness.ts";

/** How long the longest answer took of the gateway's `/healthz`, and of a server that does nothing, under the same noise of the machine. */
export interface Waits {
  readonly gateway: number;
  readonly idle: number;
}
export interface Probe {
  /** Since the last call. */
  waits(): Promise<Waits>;
  close(): void;
}

export async function startProbe(base: string): Promise<Probe> {
  const idle = Bun.spawn(
    [process.execPath, "-e", 'console.log(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") }).url.href)'],
    {
      stdout: "pipe",
    },
  );
  const [url] = await linesOf(idle.stdout, 1);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "probe.ts"), `${base}/healthz`, url ?? ""], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const lines = lineReader(child.stdout);
  return {
    async waits() {
      child.stdin.write("\n");
      await child.stdin.flush();
      const [gateway = 0, nothing = 0] = JSON.parse(await lines()) as number[];
      return { gateway, idle: nothing };
    },
    close() {
      child.kill();
      idle.kill();
    },
  };
}

function lineReader(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return async () => {
    while (!text.includes("\n")) text += decoder.decode((await reader.read()).value, { stream: true });
    const end = text.indexOf("\n");
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return line;
  };
}
async function linesOf(stream: ReadableStream<Uint8Array>, count: number): Promise<string[]> {
  const next = lineReader(stream);
  const lines: string[] = [];
  while (lines.length < count) lines.push(await next());
  return lines;
}

/** On the machine that the limits are told for. */
const MAX_WAIT_MS = 50;
/**
 * The noise of the machine holds up the server that does nothing too. What holds up only the gateway does so each time,
 * for longer on a slower machine. Tells the waits of the try that was good.
 */
export async function nobodyWaits<T>(probe: Probe, attack: () => Promise<T>, check: (said: T) => void): Promise<Waits> {
  const tries: (Waits & { readonly slowness: number })[] = [];
  for (let i = 0; i < 4; i += 1) {
    await probe.waits();
    check(await attack());
    const waits = await probe.waits();
    if (isQuiet(waits, 1)) return waits;
    const times = slowness();
    if (isQuiet(waits, times)) return waits;
    tries.push({ ...waits, slowness: times });
  }
  expect(tries).toEqual([]);
  throw new Error("unreachable");
}
const isQuiet = ({ gateway, idle }: Waits, times: number): boolean => gateway <= idle + MAX_WAIT_MS * times;
