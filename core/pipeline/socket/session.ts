import { after, GatewayError, isPromise, type Json, type MaybePromise, type SocketMessage, type Usage } from "#contract";
import type { SocketEnd, SocketListener } from "../../platform.ts";
import { wireError } from "../stream/live.ts";
import { Direction } from "./direction.ts";
import { HeldAnswers } from "./held-answers.ts";
import { jsonIn, OpenAnswers } from "./open-answers.ts";
import { Denied, providerJson } from "./judge.ts";
import type { SessionParts, Unfinished } from "./session-parts.ts";
import { Transcript } from "./transcript.ts";
import { TooLarge, Unreadable, unknownMessage } from "./faults.ts";
import { type Close, closeEnd, closeFor, endedBy, passedOn } from "./close.ts";
import { sum } from "../settle/sum.ts";
import { textRead } from "../settle/used.ts";

/** How long a provider is heard out, when nobody else hears it, until it has told what its answers used. */
const LAST_WORDS_MS = 2_000;

/** One session: a client's WebSocket and a provider's, joined. It ends once, whichever side or reason ends it, and is settled then. */
export class Session {
  private readonly toProvider: Direction;
  private readonly toClient: Direction;
  private readonly transcript: Transcript;
  private readonly held: HeldAnswers;
  private usage: Usage | null = null;
  private firstMs: number | null = null;
  private lastAt: number;
  /** Who ended it; the provider may be heard out yet. */
  private closed: Close | undefined;
  private isSettled = false;
  private lastWords: ReturnType<typeof setTimeout> | undefined;
  private isLeaving = false;
  private isAsking = false;
  /** Answers that are under way. */
  private readonly open: OpenAnswers;

  constructor(private readonly parts: SessionParts) {
    const { messages, keptBytes, judge, held, now, provider } = parts;
    const shared = { held, now, broke: (thrown: unknown) => this.broke(thrown) };
    const isRead = (): boolean => this.toClient.fullSince === null;
    this.toProvider = new Direction({ ...shared, take: (message) => this.fromClient(message), mayReadOn: isRead });
    this.toClient = new Direction({ ...shared, take: (message) => this.fromProvider(message) });
    this.transcript = new Transcript(messages, keptBytes);
    this.open = new OpenAnswers(messages, provider);
    this.held = new HeldAnswers(judge, messages, held, provider);
    this.lastAt = now();
  }

  /** What the client's end is told to. */
  get client(): SocketListener {
    return {
      open: (end) => this.opened(end),
      message: (message) => this.toProvider.message(message),
      drained: () => {
        this.toClient.drained();
        this.toProvider.drained();
      },
      closed: (code, reason) => this.toProvider.afterAll(() => this.end({ by: "client", code, reason })),
    };
  }

  /** Looks after itself: who may no longer, who says nothing, and who takes nothing. */
  look(): void {
    if (this.closed) return;
    const { limits } = this.parts.messages;
    const now = this.parts.now();
    const fullSince = Math.min(this.toClient.fullSince ?? now, this.toProvider.fullSince ?? now);
    if (now - fullSince >= this.parts.stalledMs) return this.close(1008, `nothing was taken for ${this.parts.stalledMs / 1000} s`);
    if (now - this.lastAt >= limits.idleMs) return this.close(1001, `nothing was said for ${limits.idleMs / 1000} s`);
    this.askAgain();
  }
  /** The gateway ends: at once where nothing is under way, else when that is over. */
  leave(now: boolean): void {
    this.isLeaving = true;
    if (this.closed && now) return this.settle(this.closed);
    const isOpen = this.toClient.to !== undefined; // else when it is
    if (now || (isOpen && this.open.size === 0)) this.close(1001, "the gateway ends or has been set up anew; connect again");
  }

  private opened(end: SocketEnd): void {
    if (this.closed) return end.close(...passedOn(this.closed));
    this.toClient.to = this.toProvider.from = end;
    this.parts.upstream.listen({
      open: (upstream) => void (this.toProvider.to = this.toClient.from = upstream),
      message: (message) => this.toClient.message(message),
      drained: () => this.toProvider.drained(),
      closed: (code, reason) => this.toClient.afterAll(() => this.end({ by: "provider", code, reason })),
    });
    if (this.isLeaving) this.leave(false);
  }

  /** One that is being asked about is not asked about again meanwhile. */
  private askAgain(): void {
    if (this.isAsking) return;
    try {
      const known = this.parts.identify();
      if (!isPromise(known)) return;
      this.isAsking = true;
      Promise.resolve(known)
        .catch((thrown: unknown) => this.refused(thrown))
        .finally(() => {
          this.isAsking = false;
        });
    } catch (thrown) {
      this.refused(thrown);
    }
  }
  /** A store that is away says nothing of a key. */
  private refused(thrown: unknown): void {
    if (GatewayError.is(thrown) && thrown.status < 500) this.fail(thrown);
  }

  /* ── messages ──────────────────────────────────────────────────────────────────────────────────────────────── */

  private fromClient(message: SocketMessage): MaybePromise<readonly SocketMessage[]> {
    this.lastAt = this.parts.now();
    this.judgeSize(message);
    this.transcript.add("client", message);
    const { readsInput, readsModels } = this.parts.judge;
    return readsInput || readsModels ? this.judgedInput(message) : [message];
  }
  private async judgedInput(message: SocketMessage): Promise<readonly SocketMessage[]> {
    const { judge, messages } = this.parts;
    if (typeof message !== "string") throw new Unreadable();
    let json: Json | null = null;
    try {
      json = await judge.parsed(message);
      if (judge.readsInput && !messages.isKnown(json)) throw unknownMessage(json);
      const judged = judge.readsInput ? await judge.input(json) : json;
      judge.models(judged);
      return [judged === json ? message : JSON.stringify(judged)];
    } catch (thrown) {
      this.tellRefusal(thrown, json);
      return [];
    }
  }
  private tellRefusal(thrown: unknown, of: Json | null): void {
    const { messages } = this.parts;
    if (thrown instanceof Denied)
      return this.tell(
        messages.refusal(thrown.wire, of, { hook_results: { before_request_hooks: thrown.hooks, after_request_hooks: [] } }),
      );
    if (!GatewayError.is(thrown) || thrown.status >= 500) throw thrown;
    this.tell(messages.refusal(wireError(thrown), of, {}));
  }
  private tell(json: Json): void {
    const text = JSON.stringify(json);
    this.transcript.add("gateway", text);
    this.toClient.tell(text);
    if (this.toClient.fullSince !== null) this.toProvider.from?.pause(); // who does not hear is not heard
  }

  private fromProvider(message: SocketMessage): MaybePromise<readonly SocketMessage[]> {
    this.lastAt = this.parts.now();
    this.firstMs ??= this.lastAt - this.parts.call.startedAt;
    this.judgeSize(message);
    this.open.heard(message);
    if (typeof message !== "string" && this.parts.judge.readsOutput) throw new Unreadable();
    if (typeof message !== "string" || !this.isRead(message)) return this.passing(message);
    return this.readFromProvider(message);
  }
  private isRead(text: string): boolean {
    const { judge, messages } = this.parts;
    return judge.readsOutput || messages.mayBoundAnswer(text) || (judge.readsInput && messages.speech?.mayBe(text) === true);
  }
  private passing(message: SocketMessage): readonly SocketMessage[] {
    this.transcript.add("provider", message);
    return [message];
  }
  private readFromProvider(text: string): MaybePromise<readonly SocketMessage[]> {
    return after(providerJson(text), (json) => (json ? this.judgedFromProvider(text, json) : this.unread(text)));
  }
  /** It goes on as it is where nobody has to read it. */
  private unread(text: string): readonly SocketMessage[] {
    const { judge, provider } = this.parts;
    if (!judge.readsOutput) return this.passing(text);
    throw new GatewayError("UPSTREAM_INVALID", {
      provider,
      why: "a message that guardrails have to read is no JSON object, or too much to read",
    });
  }
  private judgedFromProvider(text: string, json: Json): MaybePromise<readonly SocketMessage[]> {
    const { judge, messages } = this.parts;
    this.follow(json);
    const usage = messages.usage(json);
    if (usage) this.used(usage);
    const speech = judge.readsInput && !this.closed ? messages.speech?.asInput(json) : undefined;
    return speech ? this.judgedSpeech(speech, text, json) : this.outFromProvider(text, json);
  }
  /** The provider has heard it by now: what it makes of it is ended, and what it remembers of it taken back. */
  private async judgedSpeech(speech: Json, text: string, json: Json): Promise<readonly SocketMessage[]> {
    const { judge, messages } = this.parts;
    try {
      await judge.input(speech);
    } catch (thrown) {
      if (!(thrown instanceof Denied)) throw thrown;
      this.tellRefusal(thrown, null);
      this.cancelOpen();
      for (const undo of messages.speech?.undo(json) ?? []) this.toProvider.tell(JSON.stringify(undo));
      return [];
    }
    return this.outFromProvider(text, json);
  }
  private outFromProvider(text: string, json: Json): MaybePromise<readonly SocketMessage[]> {
    const { judge } = this.parts;
    if (!judge.readsOutput || this.closed) return this.passing(text);
    return judge.holds ? this.judgedOutput(text, json) : this.notedOutput(text, json);
  }
  private async judgedOutput(text: string, json: Json): Promise<readonly SocketMessage[]> {
    const out = await this.held.take(text, json);
    for (const message of out) this.transcript.add("provider", message);
    return out;
  }
  /** Nothing can come of it but results. */
  private async notedOutput(text: string, json: Json): Promise<readonly SocketMessage[]> {
    if (this.parts.judge.hasOutput(json) && this.parts.messages.answer(json)?.ends)
      await this.parts.judge.output(json).catch(() => undefined);
    return this.passing(text);
  }
  private follow(json: Json): void {
    const answer = this.parts.messages.answer(json);
    if (!answer) return;
    this.open.follow(answer);
    if (this.open.size > 0) return;
    if (this.closed)
      setImmediate(() => this.closed && this.settle(this.closed)); // once it is counted
    else if (this.isLeaving) setImmediate(() => this.leave(true)); // once its end is on its way
  }
  private judgeSize(message: SocketMessage): void {
    const { messageBytes } = this.parts.messages.limits;
    const size = typeof message === "string" ? Buffer.byteLength(message) : message.length;
    if (size > messageBytes) throw new TooLarge(messageBytes);
  }

  /* ── what it uses ──────────────────────────────────────────────────────────────────────────────────────────── */

  private used(usage: Usage): void {
    this.usage = sum(this.usage, usage);
    this.parts.spent(usage).catch((thrown: unknown) => this.broke(thrown));
  }

  /* ── its end ───────────────────────────────────────────────────────────────────────────────────────────────── */

  private close(code: number, reason: string): void {
    this.end({ by: "gateway", code, reason });
  }
  private fail(error: GatewayError): void {
    this.end({ by: "gateway", ...closeFor(error) });
  }
  private broke(thrown: unknown): void {
    if (GatewayError.is(thrown)) return this.fail(thrown);
    if (thrown instanceof TooLarge) return this.close(1009, thrown.message);
    if (thrown instanceof Unreadable) return this.close(1003, thrown.message);
    this.fail(new GatewayError("INTERNAL", {}, { cause: thrown }));
  }
  private end(close: Close): void {
    if (this.closed) return close.by === "provider" ? this.settle(this.closed) : undefined;
    this.closed = close;
    this.toProvider.end();
    if (close.by !== "client") closeEnd(this.toClient, this.toClient.to, close);
    if (close.by === "provider" || close.error?.code === "UPSTREAM_INVALID" || this.open.size === 0) this.settle(close);
    else this.hearOut(close);
  }
  /** What is under way is paid for all the same. */
  private hearOut(close: Close): void {
    this.lastWords = setTimeout(() => this.settle(close), LAST_WORDS_MS);
    this.cancelOpen();
    this.toClient.to = undefined;
    this.toClient.drained();
  }
  private cancelOpen(): void {
    const { messages, upstream } = this.parts;
    if (messages.cancel) for (const answer of this.open) upstream.send(JSON.stringify(messages.cancel(answer)));
  }
  private settle(close: Close): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.lastWords);
    this.toClient.end();
    this.parts.judge.left.abort();
    if (close.by !== "provider") closeEnd(this.toProvider, this.parts.upstream, close);
    const rest = { usage: this.usage, firstMs: this.firstMs, response: this.transcript.text(close), streamed: true } as const;
    this.parts.settle({ ...endedBy(close, this.parts.provider), ...rest }, this.open.size === 0 ? null : () => this.unfinished());
  }
  private unfinished(): Unfinished {
    const { content } = this.parts.messages;
    const messages = this.transcript.ofClient().flatMap(jsonIn);
    return { asked: messages.map((message) => textRead(content.input, message)).join("\n"), said: this.open.said() };
  }
}
