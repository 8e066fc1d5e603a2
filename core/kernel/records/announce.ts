import { type Feed, type Logger, messageOf } from "#contract";
import { runStep } from "../life.ts";

/** Tells the deployment's processes that a record changed; a feed that is away is told later, up to MAX_PENDING of them. */
export interface Announcer {
  announce(topic: string, message: string): Promise<void>;
  close(): void;
}
const PUBLISH_LIMIT_MS = 2_000;
const RETRY_MS = 500;
const MAX_PENDING = 10_000;

export const createAnnouncer = (feed: Feed, log: Logger): Announcer => new FeedAnnouncer(feed, log);

class FeedAnnouncer implements Announcer {
  readonly #feed: Feed;
  readonly #log: Logger;
  readonly #pending = new Map<string, readonly [topic: string, message: string]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAway = false;
  #dropped = 0;

  constructor(feed: Feed, log: Logger) {
    this.#feed = feed;
    this.#log = log;
  }

  async announce(topic: string, message: string): Promise<void> {
    try {
      await this.#publish(topic, message);
    } catch (error) {
      this.#logAway(topic, error);
      this.#queue(topic, message);
      this.#retryLater();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#logDropped();
    this.#pending.clear();
  }

  async #publish(topic: string, message: string): Promise<void> {
    await runStep(PUBLISH_LIMIT_MS, () => this.#feed.publish(topic, message));
    if (this.#isAway) this.#log("info", "feed.back", { pending: this.#pending.size });
    this.#logDropped();
    this.#isAway = false;
  }

  #queue(topic: string, message: string): void {
    const key = `${topic}\0${message}`;
    if (this.#pending.size < MAX_PENDING || this.#pending.has(key)) this.#pending.set(key, [topic, message]);
    else this.#dropped += 1;
  }

  #retryLater(): void {
    if (this.#pending.size > 0) this.#timer ??= setTimeout(() => void this.#retry(), RETRY_MS);
  }

  async #retry(): Promise<void> {
    for (const [key, [topic, message]] of this.#pending) {
      const delivered = await this.#publish(topic, message).then(
        () => true,
        () => false,
      ); // still away: the next round tries again
      if (!delivered) break;
      this.#pending.delete(key);
    }
    this.#timer = undefined;
    this.#retryLater();
  }

  /** Once, however many changes find it away. */
  #logAway(topic: string, error: unknown): void {
    if (!this.#isAway) this.#log("warn", "feed.away", { topic, why: messageOf(error) });
    this.#isAway = true;
  }

  /** Once, with how many there were: when the feed is back, or this process ends. */
  #logDropped(): void {
    if (this.#dropped > 0) this.#log("warn", "feed.dropped", { changes: this.#dropped, kept: MAX_PENDING });
    this.#dropped = 0;
  }
}
