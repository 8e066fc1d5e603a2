import { Buffer } from "node:buffer";
import { GatewayError, isJson, type Json, type PluginRequestInit } from "#contract";
import { bytesFrames, framesOfBytes, type Frame } from "../frames.ts";
import { LINES_PER_SECOND, LogBudget, MAX_EVENT_CHARS, MAX_LINE_CHARS } from "./log-lines.ts";
import type { MessageWriter } from "./messages.ts";
import { errorFrom } from "./thrown.ts";
import { type FromPack, type HostAnswer, type HostCall, MAX_SENT_BYTES } from "./wire.ts";

interface Waiting {
  resolve(answer: { readonly answer: HostAnswer; readonly bytes: Buffer }): void;
  reject(thrown: Error): void;
}

/** The host of a pack in a process of its own: everything it is asked, the gateway is asked. */
export class ChildHost {
  private readonly waiting = new Map<number, Waiting>();
  private calls = 0;
  private readonly lines = new LogBudget(LINES_PER_SECOND);

  constructor(private readonly writer: MessageWriter<FromPack>) {}

  /** What `setup` is given; the gateway decides what of it the manifest allows. */
  readonly handles = Object.freeze({
    now: (): number => Date.now(),
    log: (level: "debug" | "info" | "warn" | "error", event: string, fields: Json = {}): void => this.log(level, event, fields),
    fetch: (url: string | URL, init?: PluginRequestInit): Promise<Response> => this.fetch(url, init),
    resolve: async (host: string): Promise<readonly string[]> => (await this.value({ name: "resolve", host })) as readonly string[], // as the gateway's own
    secrets: Object.freeze({ read: async (secret: string): Promise<string> => String(await this.value({ name: "secret", secret })) }),
  });

  async credentials(job: number): Promise<Json> {
    const account = await this.value({ name: "credentials", job });
    return isJson(account) ? account : {};
  }
  /** The gateway has answered. */
  answered(call: number, answer: HostAnswer, frames: readonly Frame[]): void {
    const waiting = this.waiting.get(call);
    this.waiting.delete(call);
    if (answer.kind === "thrown") waiting?.reject(errorFrom(answer.thrown));
    else waiting?.resolve({ answer, bytes: Buffer.concat(frames.map(({ bytes }) => bytes)) });
  }

  log(level: "debug" | "info" | "warn" | "error", event: string, fields: Json): void {
    const line = JSON.stringify(fields) ?? "{}";
    if (!this.lines.take() || line.length > MAX_LINE_CHARS) return;
    this.tell({ kind: "log", level, event: String(event).slice(0, MAX_EVENT_CHARS), fields: JSON.parse(line) as Json }); // an object stays one
  }

  private async value(to: HostCall): Promise<unknown> {
    const { answer } = await this.ask(to, null, null);
    return answer.kind === "value" ? answer.value : undefined;
  }

  private async fetch(url: string | URL, init: PluginRequestInit = {}): Promise<Response> {
    const { bytes: sent, contentType } = await bytesOf(init.body ?? null);
    const headers = spelt(init.headers);
    if (contentType !== null && !new Headers(headers).has("content-type")) headers["content-type"] = contentType;
    const to: HostCall = {
      name: "fetch",
      url: String(url),
      method: init.method ?? "GET",
      headers,
      hasBody: sent !== null,
      ...(init.maxAnswerBytes !== undefined && { maxAnswerBytes: init.maxAnswerBytes }),
    };
    const { answer, bytes } = await this.ask(to, sent, init.signal ?? null);
    if (answer.kind !== "response") throw new Error("the gateway answered no response");
    const body = BODILESS.has(answer.status) ? null : new Uint8Array(bytes);
    return new Response(body, { status: answer.status, headers: answer.headers.map(([name, value]): [string, string] => [name, value]) });
  }

  private ask(to: HostCall, sent: Uint8Array | null, signal: AbortSignal | null): ReturnType<ChildHost["asked"]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.calls += 1;
    const call = this.calls;
    const asking = this.asked(call);
    const dropped = (): void => {
      this.waiting.get(call)?.reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      this.waiting.delete(call);
      this.tell({ kind: "dropped", call });
    };
    signal?.addEventListener("abort", dropped, { once: true });
    const bytes = sent ?? new Uint8Array();
    this.tell({ kind: "call", call, to }, [{ frames: bytesFrames(bytes), count: framesOfBytes(bytes) }]);
    return asking.finally(() => signal?.removeEventListener("abort", dropped));
  }
  private asked(call: number): Promise<{ readonly answer: HostAnswer; readonly bytes: Buffer }> {
    return new Promise((resolve, reject) => this.waiting.set(call, { resolve, reject }));
  }
  private tell(head: FromPack, attached: Parameters<MessageWriter<FromPack>["send"]>[1] = []): void {
    void this.writer.send(head, attached).catch(() => undefined); // the gateway is gone, and so are we in a moment
  }
}
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Names as the pack spelt them. */
const spelt = (headers: HeadersInit = {}): Record<string, string> =>
  Object.fromEntries(headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers));

/** A body whole; forms and blobs bring their content type. */
async function bytesOf(body: BodyInit | null): Promise<{ readonly bytes: Uint8Array | null; readonly contentType: string | null }> {
  if (body === null) return { bytes: null, contentType: null };
  const read = new Response(body);
  const bytes = new Uint8Array(await read.arrayBuffer());
  if (bytes.length > MAX_SENT_BYTES)
    throw new GatewayError("REQUEST_INVALID", { what: `A request of an isolated pack has more than ${MAX_SENT_BYTES} bytes.` });
  const isPlain = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return { bytes, contentType: isPlain ? null : read.headers.get("content-type") };
}
