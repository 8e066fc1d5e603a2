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

export function createAnnouncer(feed: Feed, log: Logger): Announcer {
  const pending = new Map<string, readonly [topic: string, message: string]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAway = false;
  let dropped = 0;

  const publish = async (topic: string, message: string): Promise<void> => {
    await runStep(PUBLISH_LIMIT_MS, () => feed.publish(topic, message));
    if (isAway) log("info", "feed.back", { pending: pending.size });
    sayDropped();
    isAway = false;
  };
  /** Said once, however many changes find it away. */
  const sayAway = (topic: string, error: unknown): void => {
    if (!isAway) log("warn", "feed.away", { topic, why: messageOf(error) });
    isAway = true;
  };
  const queue = (topic: string, message: string): void => {
    const key = `${topic}\0${message}`;
    if (pending.size < MAX_PENDING || pending.has(key)) pending.set(key, [topic, message]);
    else dropped += 1;
  };
  /** Said once, with how many there were: when the feed is back, or this process ends. */
  const sayDropped = (): void => {
    if (dropped > 0) log("warn", "feed.dropped", { changes: dropped, kept: MAX_PENDING });
    dropped = 0;
  };
  const retryLater = (): void => {
    if (pending.size > 0) timer ??= setTimeout(() => void retry(), RETRY_MS);
  };
  async function retry(): Promise<void> {
    for (const [key, [topic, message]] of pending) {
      const delivered = await publish(topic, message).then(
        () => true,
        () => false,
      ); // still away: the next round tries again
      if (!delivered) break;
      pending.delete(key);
    }
    timer = undefined;
    retryLater();
  }

  return {
    async announce(topic, message) {
      try {
        await publish(topic, message);
      } catch (error) {
        sayAway(topic, error);
        queue(topic, message);
        retryLater();
      }
    },
    close() {
      clearTimeout(timer);
      sayDropped();
      pending.clear();
    },
  };
}
