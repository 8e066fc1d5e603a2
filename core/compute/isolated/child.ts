import { Value } from "@sinclair/typebox/value";
import { type Check, CheckFault, type GuardrailPack, isJson, type Json, messageOf, type Plugin, type Running } from "#contract";
import { signalGroup } from "../process-group.ts";
import { ownPipes, startWorker } from "../../platform.ts";
import { boundedVerdict, tooLong } from "../bounded-verdict.ts";
import { type Frame, jsonFrame } from "../frames.ts";
import { moduleOf } from "../modules.ts";
import { silence } from "../silence.ts";
import type { PackSource } from "../work.ts";
import { ChildHost } from "./child-host.ts";
import { ChildInput } from "./child-input.ts";
import { describedPack, describedPlugin } from "./described.ts";
import { type Message, MessageReader, MessageWriter } from "./messages.ts";
import { thrownOf } from "./thrown.ts";
import { BEAT_MS, type FromPack, type JudgeHead, type ToPack } from "./wire.ts";

/*
 * A process of an isolated pack: it holds that pack and no other, judges several requests at a time, and asks the gateway
 * for everything that a host gives. It was started with an empty environment and ends with its standard input.
 */

/** Serves its pack until the gateway closes the pipe, or says that there will be no more work. */
export async function serveIsolated(): Promise<number> {
  silence(); // before the pack is imported
  startWorker("core/compute/orphan.worker.ts"); // a check that never ends cannot see that its gateway is gone
  withoutSignals();
  const { input, write } = ownPipes();
  const pack = new ServedPack(new MessageWriter<FromPack>(write));
  const reader = new MessageReader<ToPack>();
  for await (const bytes of input)
    for (const message of reader.push(bytes)) {
      if (message.head.kind === "end") return pack.close();
      pack.take(message);
    }
  signalGroup(process.pid, "SIGKILL"); // the gateway is gone: what the pack has started is not to outlive it
  return 0;
}

/** A pack that signals its own process, or another, would end what it does not own. Discipline: it is no sandbox. */
function withoutSignals(): void {
  process.kill = (): never => {
    throw new Error("an isolated pack may not signal processes");
  };
}

const CLOSE_MS = 1_000;

class ServedPack {
  private plugin: Plugin<"guardrail"> | undefined;
  private running: Running<GuardrailPack> | undefined;
  private checks: ReadonlyMap<string, Check> = new Map();
  private readonly jobs = new Map<number, AbortController>();
  private readonly host: ChildHost;

  constructor(private readonly writer: MessageWriter<FromPack>) {
    this.host = new ChildHost(writer);
    for (const event of ["uncaughtException", "unhandledRejection"])
      process.on(event, (thrown: unknown) => this.host.log("error", "check.uncaught", { why: messageOf(thrown).slice(0, 1_000) }));
    setInterval(() => this.jobs.size > 0 && this.tell({ kind: "beat" }), BEAT_MS);
  }

  take({ head, attached }: Message<ToPack>): void {
    if (head.kind === "load") void this.orFailed(() => this.load(head.pack));
    if (head.kind === "setup") void this.orFailed(() => this.setUp(head.config));
    if (head.kind === "judge") void this.judge(head, attached);
    if (head.kind === "problems") void this.judgeParams(head.job, head.check, head.params);
    if (head.kind === "stop") this.jobs.get(head.job)?.abort();
    if (head.kind === "answered") this.host.answered(head.call, head.answer, attached[0] ?? []);
  }
  /** The pack lets go of what it holds; not for long. */
  async close(): Promise<number> {
    const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS));
    await Promise.race([late, (async () => this.running?.close?.())().catch(() => undefined)]);
    return 0;
  }

  private async load(source: PackSource): Promise<void> {
    const { default: plugin } = (await moduleOf(source)) as { default: Plugin<"guardrail"> }; // described, and judged by the gateway
    if (!isJson(plugin)) throw new Error("the module has no default export; write: export default definePlugin({ … })");
    this.plugin = plugin as unknown as Plugin<"guardrail">; // the same
    this.tell({ kind: "loaded", plugin: describedPlugin(this.plugin) });
  }
  private async setUp(config: Json): Promise<void> {
    const { plugin } = this;
    if (!plugin) throw new Error("it has not been loaded");
    const [problem] = plugin.problems?.(config) ?? [];
    if (problem) throw new Error(`${problem.path}: ${problem.why}`);
    this.running = await plugin.setup(this.host.handles as never, Value.Default(plugin.config, config) as never); // the gateway holds it to its needs
    if (this.running.jobs?.length)
      throw new Error("it has jobs, which the gateway runs in its own process: such a pack cannot be isolated");
    await this.running.ready?.();
    const { provides } = this.running;
    this.checks = new Map(provides.checks.map((check) => [check.id, check]));
    this.tell({ kind: "ready", pack: describedPack(provides) });
  }
  private async orFailed(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (thrown) {
      this.tell({ kind: "failed", message: messageOf(thrown).slice(0, 1_000) });
    }
  }

  private async judge(head: JudgeHead, attached: readonly (readonly Frame[])[]): Promise<void> {
    const { job } = head;
    const stop = new AbortController();
    this.jobs.set(job, stop);
    try {
      const check = this.checkOf(head.check);
      const input = new ChildInput(head, attached, stop.signal, () => this.host.credentials(job));
      this.answer(job, await Promise.race([check.run(input), stopped(stop.signal)]));
    } catch (thrown) {
      this.tell({ kind: "thrown", job, thrown: thrownOf(thrown) });
    } finally {
      this.jobs.delete(job);
    }
  }
  private answer(job: number, given: unknown): void {
    const bounded = boundedVerdict(given);
    if (bounded === null) throw new CheckFault("budget", tooLong);
    const frames = bounded.dataText === null ? [] : [jsonFrame(bounded.dataText)];
    this.tell({ kind: "verdict", job, verdict: bounded.verdict }, [{ frames, count: frames.length }]);
  }
  private async judgeParams(job: number, id: string, params: unknown): Promise<void> {
    this.jobs.set(job, new AbortController());
    try {
      this.tell({ kind: "problems", job, problems: this.checkOf(id).problems?.(params as never) ?? [] }); // judged by the check's own schema before
    } catch (thrown) {
      this.tell({ kind: "thrown", job, thrown: thrownOf(thrown) });
    } finally {
      this.jobs.delete(job);
    }
  }
  private checkOf(id: string): Check {
    const check = this.checks.get(id);
    if (!check) throw new Error(`the pack has no check ${id}`);
    return check;
  }
  private tell(head: FromPack, attached: Parameters<MessageWriter<FromPack>["send"]>[1] = []): void {
    void this.writer.send(head, attached).catch(() => undefined); // the gateway is gone, and so are we in a moment
  }
}

/** Rejects when nobody waits any more: a check that does not hear it leaves its place all the same. */
const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new CheckFault("timeout", "it was stopped")), { once: true });
  });
