import { LRUCache } from "lru-cache";
import { GatewayError, type Json, type SocketMessages } from "#contract";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { eventCost } from "../../json/memory-cost.ts";
import { Denied, type SessionJudge } from "./judge.ts";

interface HeldMessage {
  readonly text: string;
  readonly json: Json;
  /** Of the answer it belongs to. */
  readonly answer: string | undefined;
}
/** Bytes of what is held back until it has been judged. */
const MOST_HELD = 32 * 1024 * 1024;
/** Messages of it: what is judged at the end of an answer is put together in one turn. */
const MOST_MESSAGES = 20_000;

/** Holds what a provider says from the beginning of an answer until the end of it has been judged, in its order. */
export class HeldAnswers {
  private waiting: HeldMessage[] = [];
  /** What waits of each answer. */
  private readonly parts = new Map<string, Json[]>();
  private readonly open = new Set<string>();
  private readonly verdicts = new Map<string, readonly Json[]>();
  /** Answers that have ended: what is said later of one that was denied is not told, and of another stands for itself. */
  private readonly over = new LRUCache<string, "had" | "denied">({ max: 1_000 });
  /** Items of answers that were denied, which may be told of beside the answer. */
  private readonly deniedItems = new LRUCache<string, true>({ max: 10_000 });
  /** Of the answers that are held: who hears that one was denied need not hear it again of its items. */
  private hasDenied = false;
  private size = 0;

  constructor(
    private readonly judge: SessionJudge,
    private readonly messages: SocketMessages,
    private readonly held: Held,
    private readonly provider: string,
  ) {}

  /** What may go on now. */
  async take(text: string, json: Json): Promise<readonly string[]> {
    const found = this.messages.answer(json);
    const ended = found && this.over.get(found.id);
    if (ended === "denied") return NOTHING;
    const answer = ended === undefined ? found : undefined;
    this.keep({ text, json, answer: answer?.id });
    if (answer) this.open.add(answer.id);
    if (answer?.ends) await this.ended(answer.id);
    return this.open.size > 0 ? NOTHING : this.released();
  }

  private keep(message: HeldMessage): void {
    this.size += message.text.length;
    if (this.size > MOST_HELD || this.waiting.length === MOST_MESSAGES)
      throw new GatewayError("UPSTREAM_INVALID", {
        provider: this.provider,
        why: `an answer that guardrails judge is larger than ${MOST_HELD} bytes, or than ${MOST_MESSAGES} messages`,
      });
    this.held.grow(eventCost(message.text.length));
    this.waiting.push(message);
    if (message.answer === undefined) return;
    const part = this.parts.get(message.answer);
    if (part) part.push(message.json);
    else this.parts.set(message.answer, [message.json]);
  }
  private async ended(id: string): Promise<void> {
    const own = this.parts.get(id) ?? [];
    this.parts.delete(id);
    this.open.delete(id);
    this.over.set(id, "had");
    const whole = this.messages.whole(own);
    try {
      const judged = await this.judge.output(whole);
      if (judged !== whole) this.verdicts.set(id, this.messages.rewritten(own, whole, judged));
    } catch (thrown) {
      if (!(thrown instanceof Denied)) throw thrown;
      this.verdicts.set(id, this.messages.denied(own, thrown.wire));
      this.hasDenied = true;
      this.over.set(id, "denied");
      for (const item of own.flatMap((message) => this.messages.items(message))) this.deniedItems.set(item, true);
    }
  }
  private async released(): Promise<readonly string[]> {
    const { waiting } = this;
    this.waiting = [];
    this.parts.clear();
    this.held.grow(-eventCost(this.size));
    this.size = 0;
    const out: string[] = [];
    for (const message of waiting) out.push(...(await this.passed(message)));
    this.verdicts.clear();
    this.hasDenied = false;
    return out;
  }
  /** What became of an answer stands where its first message was, but for its last, which stays the last. */
  private async passed({ text, json, answer }: HeldMessage): Promise<readonly string[]> {
    if (answer === undefined) return this.alone(text, json);
    const changed = this.verdicts.get(answer);
    if (changed === undefined) return [text];
    const now = this.messages.answer(json)?.ends ? changed : changed.slice(0, -1);
    this.verdicts.set(answer, changed.slice(now.length));
    return now.map((message) => JSON.stringify(message));
  }
  /** What belongs to no answer may hold one all the same: an item that is asked for again. */
  private async alone(text: string, json: Json): Promise<readonly string[]> {
    if (!this.judge.hasOutput(json)) return [text];
    try {
      const judged = await this.judge.output(json);
      if (this.messages.items(json).some((item) => this.deniedItems.has(item))) return NOTHING;
      return [judged === json ? text : JSON.stringify(judged)];
    } catch (thrown) {
      if (!(thrown instanceof Denied)) throw thrown;
      if (this.hasDenied) return NOTHING;
      return [
        JSON.stringify(
          this.messages.refusal(thrown.wire, null, { hook_results: { before_request_hooks: [], after_request_hooks: thrown.hooks } }),
        ),
      ];
    }
  }
}
const NOTHING: readonly string[] = [];
