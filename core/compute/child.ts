import { Value } from "@sinclair/typebox/value";
import {
  type Check,
  type CheckInput,
  type GuardrailPack,
  isJson,
  type Manifest,
  messageOf,
  type PackageManifest,
  type Plugin,
  type Verdict,
} from "#contract";
import { registry } from "../generated/registry.ts";
import { importModule, ownPipes, startWorker } from "../platform.ts";
import { isExhaustion } from "./exhaustion.ts";
import { type Frame, FrameReader, jsonFrame, textOf } from "./frames.ts";
import { silence } from "./silence.ts";
import { type JobHead, MAX_DATA_CHARS, MAX_VERDICT_CHARS, type PackSource, type ReplyHead } from "./work.ts";

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
  constructor({ params, side, text, now }: Job) {
    this.params = params as never; // judged by the check's schema before it was sent
    this.side = side;
    this.text = text;
    this.now = now;
  }
  get segments(): never {
    throw impure("segments");
  }
  get call(): never {
    throw impure("call");
  }
  get signal(): never {
    throw impure("signal");
  }
}
const impure = (member: string): Error => new Error(`a check that declares its cost does not see \`${member}\``);

/** A verdict as it travels: data that nobody could show stays here. */
function asReply(verdict: Verdict): [ReplyHead, string | null] {
  const { data, ...bare } = isJson(verdict) ? verdict : { verdict };
  if (JSON.stringify(bare).length > MAX_VERDICT_CHARS)
    return [{ kind: "thrown", class: "budget", message: `its answer has more than ${MAX_VERDICT_CHARS} characters` }, null];
  const text = data === undefined ? null : shortened(data);
  return [{ kind: "verdict", verdict: bare as Verdict, data: text !== null }, text]; // whatever it is, the engine judges it again
}

function shortened(data: unknown): string {
  const text = JSON.stringify(data) ?? "null";
  if (text.length <= MAX_DATA_CHARS) return text;
  const explanation = isJson(data) && typeof data["explanation"] === "string" ? data["explanation"].slice(0, 1_000) : null;
  return JSON.stringify({ explanation, omitted: `The data has ${text.length} characters; at most ${MAX_DATA_CHARS} are shown.` });
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

function moduleOf({ name, module }: PackSource): Promise<unknown> {
  if (module) return importModule(module.path, module.version);
  const row = registry.find((candidate) => nameOf(candidate) === name);
  if (!row?.load) throw new Error(`this program has no plugin ${name}`);
  return row.load();
}

/** `kind/id` of a row, whose manifest was judged when the gateway booted. */
function nameOf({ manifest, part = 0 }: (typeof registry)[number]): string {
  const { kind, id, parts } = manifest as Partial<Manifest> & Partial<PackageManifest>;
  const own = parts?.[part] ?? { kind, id };
  return `${own.kind}/${own.id ?? id}`;
}
