import { Value } from "@sinclair/typebox/value";
import { type Check, type CheckInput, type GuardrailPack, messageOf, type Plugin, type Segment, type Verdict } from "#contract";
import { ownPipes, startWorker } from "../platform.ts";
import { boundedVerdict, tooLong } from "./bounded-verdict.ts";
import { isExhaustion } from "./exhaustion.ts";
import { type Frame, FrameReader, jsonFrame, textOf } from "./frames.ts";
import { moduleOf } from "./modules.ts";
import { segmentsOf } from "./segments.ts";
import { silence } from "./silence.ts";
import type { JobHead, PackSource, Piece, ReplyHead } from "./work.ts";

/*
 * The other side of the pool: a process of this program that does nothing but judge. It was started with an empty
 * environment and opens neither a database nor a socket; it reads jobs from its standard input and writes answers to its
 * standard output, one at a time, until its input ends.
 */

/** Answers until the gateway closes the pipe. */
export async function answerJobs(): Promise<number> {
  silence(); // before any pack is imported
  startWorker("core/compute/orphan.worker.ts"); // a job that never ends cannot see that its gateway is gone
  const { input, write } = ownPipes();
  const answer = async (head: ReplyHead, data: string | null = null): Promise<void> => {
    await write(jsonFrame(JSON.stringify(head)));
    if (data !== null) await write(jsonFrame(data));
  };
  const frames = new FrameReader();
  const jobs = new Jobs();
  await answer({ kind: "ready" });
  for await (const piece of input)
    for (const frame of frames.push(piece)) {
      const job = jobs.add(frame);
      if (job) await reply(job, answer);
    }
  return 0;
}

interface Job extends JobHead {
  readonly params: unknown;
  readonly text: string;
}

/** Collects the frames of one job after the other. */
class Jobs {
  private frames: Frame[] = [];

  add(frame: Frame): Job | undefined {
    this.frames.push(frame);
    const [first, params, ...texts] = this.frames;
    if (!first || !params) return undefined;
    const head = JSON.parse(textOf(first)) as JobHead; // written by our own other side
    if (texts.length < head.chunks) return undefined;
    this.frames = [];
    return { ...head, params: JSON.parse(textOf(params)), text: texts.map(textOf).join("") };
  }
}

type Reply = (head: ReplyHead, data?: string | null) => Promise<void>;

async function reply(job: Job, answer: Reply): Promise<void> {
  try {
    const check = (await packOf(job.pack)).get(job.check);
    if (!check) throw new Error(`the pack ${job.pack.name} has no check ${job.check}`);
    await answer({ kind: "begun" });
    if (job.ask === "problems") return await answer({ kind: "problems", problems: check.problems?.(job.params as never) ?? [] }); // judged by the check's schema before
    await answer(...asReply(await check.run(new PureInput(job))));
  } catch (thrown) {
    await answer({ kind: "thrown", class: isExhaustion(thrown) ? "budget" : "crash", message: messageOf(thrown).slice(0, 1_000) });
  }
}

/** What a check sees here. A spread would lose nothing, and asking for more is a mistake of the check's. */
class PureInput implements CheckInput<never> {
  readonly params: never;
  readonly side: Job["side"];
  readonly text: string;
  readonly now: number;
  private readonly pieces: readonly Piece[] | undefined;
  constructor({ params, side, text, now, pieces }: Job) {
    this.params = params as never; // judged by the check's schema before it was sent
    this.side = side;
    this.text = text;
    this.now = now;
    this.pieces = pieces;
  }
  get segments(): readonly Segment[] {
    if (this.pieces === undefined) throw impure("segments");
    return segmentsOf(this.pieces, this.text);
  }
  get call(): never {
    throw impure("call");
  }
  get credential(): never {
    throw impure("credential");
  }
  get timeoutMs(): never {
    throw impure("timeoutMs");
  }
  get signal(): never {
    throw impure("signal");
  }
  get asker(): never {
    throw impure("asker");
  }
  credentials(): never {
    throw impure("credentials");
  }
}
const impure = (member: string): Error => new Error(`a check that declares its cost does not see \`${member}\``);

/** A verdict as it travels: data that nobody could show stays here. */
function asReply(verdict: Verdict): [ReplyHead, string | null] {
  const bounded = boundedVerdict(verdict);
  if (bounded === null) return [{ kind: "thrown", class: "budget", message: tooLong }, null];
  return [{ kind: "verdict", verdict: bounded.verdict, data: bounded.dataText !== null }, bounded.dataText]; // whatever it is, the engine judges it again
}

/* ── packs ───────────────────────────────────────────────────────────────────────────────────────────────────── */

const packs = new Map<string, Promise<ReadonlyMap<string, Check>>>();

function packOf(source: PackSource): Promise<ReadonlyMap<string, Check>> {
  const key = `${source.name}@${source.module?.version ?? ""}`;
  const running = packs.get(key);
  if (running) return running;
  const loading = loaded(source);
  packs.set(key, loading);
  loading.catch(() => packs.delete(key)); // what failed once may work the next time
  return loading;
}

async function loaded(source: PackSource): Promise<ReadonlyMap<string, Check>> {
  const { default: plugin } = (await moduleOf(source)) as { default: Plugin<"guardrail"> }; // it runs in the gateway, so it was judged there
  const running = await plugin.setup(NO_HOST as never, Value.Default(plugin.config, {}) as never); // pure checks ask for nothing of it
  return new Map((running.provides as GuardrailPack).checks.map((check) => [check.id, check]));
}
const NO_HOST = { log: () => undefined, now: Date.now };
