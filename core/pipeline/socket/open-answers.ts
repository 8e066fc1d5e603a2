import { GatewayError, isJson, type Json, type SocketMessage, type SocketMessages } from "#contract";
import { textIn } from "../settle/used.ts";

/** Answers that are under way at once: a provider that ends none is not remembered for ever. */
const MOST_OPEN = 1_000;
/** Characters that are kept of what they say, for an estimate. */
const MOST_KEPT = 64 * 1024;

/** Answers that have begun and not ended, and what they said: of one that its provider never ends nobody else says what it used. */
export class OpenAnswers {
  private readonly ids = new Set<string>();
  private kept: string[] = [];
  private keptChars = 0;
  private heardChars = 0;

  constructor(
    private readonly messages: SocketMessages,
    private readonly provider: string,
  ) {}

  get size(): number {
    return this.ids.size;
  }
  [Symbol.iterator](): Iterator<string> {
    return this.ids.values();
  }
  /** Begins an answer, or ends it. */
  follow(answer: { readonly id: string; readonly ends?: true }): void {
    if (!answer.ends) this.ids.add(answer.id);
    else this.ids.delete(answer.id);
    if (this.ids.size > MOST_OPEN)
      throw new GatewayError("UPSTREAM_INVALID", { provider: this.provider, why: `more than ${MOST_OPEN} answers are under way` });
    if (this.ids.size === 0) this.forget();
  }
  /** A provider's message while some are under way; it is read only if they never end. */
  heard(message: SocketMessage): void {
    if (this.ids.size === 0 || typeof message !== "string" || this.messages.isMedia(message)) return;
    this.heardChars += message.length;
    if (this.keptChars + message.length > MOST_KEPT) return;
    this.keptChars += message.length;
    this.kept.push(message);
  }
  /** What they have said, and how much more than that it was. */
  said(): { readonly text: string; readonly times: number } {
    const messages = this.kept.flatMap(jsonIn);
    const texts = [...this.ids].map((id) => this.textOf(messages.filter((message) => this.messages.answer(message)?.id === id)));
    return { text: texts.join("\n"), times: this.keptChars === 0 ? 1 : this.heardChars / this.keptChars };
  }

  private textOf(messages: readonly Json[]): string {
    return messages.length === 0 ? "" : textIn(this.messages.content.output?.(this.messages.whole([...messages, NO_END])) ?? []);
  }
  private forget(): void {
    this.kept = [];
    this.keptChars = this.heardChars = 0;
  }
}
/** In place of the message that would end it. */
const NO_END: Json = {};

export function jsonIn(text: string): readonly Json[] {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? [value] : [];
  } catch {
    return []; // a side may say what it likes
  }
}
