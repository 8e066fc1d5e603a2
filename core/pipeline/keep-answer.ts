import {
  type Call,
  type Caller,
  type Json,
  type KeptAnswers,
  type Leaf,
  type MaybePromise,
  messageOf,
  nextTurn,
  type OperationName,
  type Source,
  withDeadline,
} from "#contract";
import { isLong } from "../json/long-json.ts";
import { entering, whileOpen } from "../kernel/process/watchdog/marks.ts";
import type { Gateway } from "./gateway.ts";
import { shaped } from "./plan/shape.ts";
import type { Reply } from "./call/reply.ts";
import type { Chunk } from "./stream/chunks.ts";
import { countNotKept } from "./settle/counters.ts";

/** Who keeps the answers of an operation, and the request: as its client sent it, then as the config that answered shaped it. */
export interface Keeping {
  readonly keeps: KeptAnswers;
  /** What stands for the plugin where the watchdog looks. */
  readonly mark: number;
  readonly call: Call;
  readonly caller: Caller;
  /** The body as guardrails changed it. */
  readonly judged?: Json | undefined;
}

/** Has an answer kept that the gateway made itself: a whole one now, a stream's when its last event comes. */
export function keptReply(reply: Reply, asked: Keeping, gw: Pick<Gateway, "log">): MaybePromise<Reply> {
  const { content, leaf } = reply;
  if (!leaf || !reply.from?.served || reply.status >= 400) return reply;
  const keeping = { ...asked, call: withShape(asked.call, leaf), judged: reply.judged };
  if (!wants(keeping, gw)) return reply;
  if (content.kind === "whole") return content.body ? handOver(content.body, keeping, gw).then(() => reply) : reply;
  if (content.kind !== "stream" || content.stream.kind !== "chunks") return reply;
  const chunks = new KeptChunks(content.stream.chunks, keeping, gw);
  return { ...reply, content: { kind: "stream", stream: { ...content.stream, chunks } } };
}

/** A config may forbid that anything is stored, whatever its requests say. */
function withShape(call: Call, leaf: Leaf): Call {
  if (call.body.kind !== "json") return call;
  const value = shaped(call.body.value, leaf);
  return value === call.body.value ? call : { ...call, body: { kind: "json", text: null, value } };
}
/** What the plugin cannot say is no reason to fail an answer that is there. */
function wants(keeping: Keeping, gw: Pick<Gateway, "log">): boolean {
  const { keeps, mark, call, caller } = keeping;
  try {
    entering(mark);
    return keeps.wants(call, caller);
  } catch (thrown) {
    notKept(thrown, keeping, gw);
    return false;
  }
}

/** A stream whose answer is kept before the client has its last event. */
class KeptChunks implements Source<Chunk> {
  constructor(
    private readonly chunks: Source<Chunk>,
    private readonly keeping: Keeping,
    private readonly gw: Pick<Gateway, "log">,
  ) {}

  async read(): Promise<Chunk | undefined> {
    const chunk = await this.chunks.read();
    if (chunk && isLong(chunk.wire)) await nextTurn(); // it was written just now
    const answer = chunk && this.completedIn(chunk);
    if (answer) await handOver(answer, this.keeping, this.gw);
    return chunk;
  }
  private completedIn({ wire }: Chunk): Json | undefined {
    try {
      return this.keeping.keeps.completed(wire);
    } catch (thrown) {
      notKept(thrown, this.keeping, this.gw);
      return undefined;
    }
  }
  cancel(): Promise<void> {
    return this.chunks.cancel();
  }
}

/** The longest a client waits for it. */
const KEEP_MS = 5_000;
/** Operations whose last answer was not kept: said when it begins, and when it is over. */
const failing = new Set<OperationName>();

async function handOver(answer: Json, keeping: Keeping, gw: Pick<Gateway, "log">): Promise<void> {
  const { keeps, mark, call, caller, judged = null } = keeping;
  try {
    entering(mark);
    await withDeadline(
      whileOpen(mark, keeps.keep(answer, call, caller, judged)),
      KEEP_MS,
      (ms) => new Error(`it took longer than ${ms} ms`),
    );
    if (failing.delete(call.operation)) gw.log("info", "answer.kept_again", { operation: call.operation });
  } catch (thrown) {
    notKept(thrown, keeping, gw);
  }
}
function notKept(thrown: unknown, { call: { operation, traceId } }: Keeping, { log }: Pick<Gateway, "log">): void {
  countNotKept(operation);
  if (!failing.has(operation)) log("warn", "answer.not_kept", { operation, traceId, why: messageOf(thrown) });
  failing.add(operation);
}
