import { type Handles, type HostBase, isJson, type Json, type MaybePromise } from "#contract";
import { bytesFrames, framesOfBytes, type Frame } from "../frames.ts";
import type { Attached } from "./messages.ts";
import { thrownOf } from "./thrown.ts";
import type { HostAnswer, HostCall, ToPack } from "./wire.ts";

/** What the gateway gives an isolated pack: the handles that its manifest asks for, and no others. */
export type PackHost = HostBase & Partial<Pick<Handles, "fetch" | "resolve" | "secrets">>;
type Answered = readonly [HostAnswer, bytes?: Uint8Array];

/** More calls under way than these, or with more bytes, are refused: a pack that asks without waiting would take the gateway's memory. */
const MAX_CALLS = 64;
const MAX_OPEN_BYTES = 64 * 1024 * 1024;
/** And one that reads no answers either, not even that it is refused, is ended. */
const MAX_UNREAD = 5_000;

/** A call until its answer has been read. */
interface OpenCall {
  readonly controller: AbortController;
  /** Bytes that it holds here; none of one that is refused. */
  readonly weight: number;
  readonly isRefused: boolean;
}

/** Answers what one process of a pack asks its host. */
export class HostCalls {
  private readonly open = new Map<number, OpenCall>();

  constructor(
    private readonly host: PackHost,
    /** The account of a job's tenant; opened when a check asks for it. */
    private readonly credentials: (job: number) => MaybePromise<Json>,
    /** Resolves when the process has read it, or is gone. */
    private readonly send: (head: ToPack, attached?: readonly Attached[]) => Promise<void>,
  ) {}

  /** Throws where no pack of ours would ask so: its process is to be ended. */
  serve(call: number, to: HostCall, frames: readonly Frame[], weight: number): void {
    if (this.open.has(call)) throw new Error("it asks under the number of a call that is under way");
    if (this.open.size >= MAX_UNREAD) throw new Error("it asks and reads no answers");
    const isRefused = this.open.size >= MAX_CALLS || this.openWeight + weight > MAX_OPEN_BYTES;
    const opened = { controller: new AbortController(), weight: isRefused ? 0 : weight, isRefused };
    this.open.set(call, opened);
    void this.answer(call, to, isRefused ? [] : frames, opened);
  }
  /** Nobody waits for it any more. It has its place until what it does has ended. */
  drop(call: number): void {
    this.open.get(call)?.controller.abort();
  }
  /** The process has ended: what it asked for goes nowhere. */
  close(): void {
    for (const call of this.open.keys()) this.drop(call);
  }

  private get openWeight(): number {
    let sum = 0;
    for (const { weight } of this.open.values()) sum += weight;
    return sum;
  }
  private async answer(call: number, to: HostCall, frames: readonly Frame[], { controller, isRefused }: OpenCall): Promise<void> {
    const { signal } = controller;
    const [answer, bytes = new Uint8Array()] = await this.answerTo(to, frames, signal, isRefused);
    if (!signal.aborted) await this.send({ kind: "answered", call, answer }, [{ frames: bytesFrames(bytes), count: framesOfBytes(bytes) }]);
    this.open.delete(call);
  }
  private async answerTo(to: HostCall, frames: readonly Frame[], signal: AbortSignal, isRefused: boolean): Promise<Answered> {
    try {
      if (isRefused)
        throw new Error(`an isolated pack may have ${MAX_CALLS} calls of ${MAX_OPEN_BYTES} bytes together under way in each process`);
      if (to.name === "fetch") return await this.fetched(to, frames, signal);
      return [{ kind: "value", value: await this.value(to) }];
    } catch (thrown) {
      return [{ kind: "thrown", thrown: thrownOf(thrown) }];
    }
  }
  private value(to: Exclude<HostCall, { name: "fetch" }>): MaybePromise<unknown> {
    if (to.name === "credentials") return this.credentials(to.job);
    if (to.name === "secret") return needed(this.host.secrets, "secret:…").read(to.secret);
    return needed(this.host.resolve, "net:…")(to.host);
  }
  private async fetched(to: Extract<HostCall, { name: "fetch" }>, frames: readonly Frame[], signal: AbortSignal): Promise<Answered> {
    const { url, method, headers, hasBody, maxAnswerBytes } = to;
    const body = hasBody ? Buffer.concat(frames.map(({ bytes }) => bytes)) : null;
    const init = { method, headers: isJson(headers) ? headers : {}, body, signal, ...(maxAnswerBytes !== undefined && { maxAnswerBytes }) };
    const response = await needed(this.host.fetch, "net:…")(url, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return [{ kind: "response", status: response.status, headers: [...response.headers] }, bytes];
  }
}

function needed<T>(handle: T | undefined, need: string): T {
  if (handle === undefined) throw new Error(`the pack asks for what its code does not name under needs: ${need}`);
  return handle;
}
