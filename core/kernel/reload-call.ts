import { type Logger, messageOf } from "#contract";
import { createAnnouncer } from "./announce.ts";
import type { Stores } from "./generation.ts";

/**
 * A new generation that is asked for on one process is built by every process of the deployment: its other workers and
 * nodes hear the call on the feed. Each builds from its own profile file; what one cannot build it logs, and stays as it was.
 */
export interface ReloadCall {
  /** Calls the others. What cannot be told just now is told later. */
  call(): Promise<void>;
  close(): Promise<void>;
}
/** What a process remembers across its generations. One writer: the functions below. */
export interface Heard {
  /** The newest call made or heard; nothing is built twice for it. */
  last: string | undefined;
}
const TOPIC = "generations";
/** Where the newest call stands, for a process that was cut off from the feed when it was made. */
const NEWEST = "generations:newest-call";

/** Listens for calls of other processes. `reload` is run once for each and must not throw. */
export async function listenForCalls(
  { feed, kv }: Pick<Stores, "feed" | "kv">,
  heard: Heard,
  reload: () => void,
  log: Logger,
): Promise<ReloadCall> {
  const announcer = createAnnouncer(feed, log);
  const newest = async (): Promise<string | undefined> => {
    const stored = await kv.get(NEWEST);
    return stored && new TextDecoder().decode(stored);
  };
  const hear = (call: string | undefined): void => {
    if (call === undefined || call === heard.last) return;
    heard.last = call;
    reload();
  };
  const catchUp = (): void => void newest().then(hear, unknownCall(log));
  const leave = await feed.subscribe(TOPIC, (call) => (call === null ? catchUp() : hear(call)));
  heard.last ??= await newest().catch(unknownCall(log)); // what was called before this process began is done with
  return {
    async call() {
      const call = crypto.randomUUID();
      heard.last = call;
      await kv.set(NEWEST, new TextEncoder().encode(call)).catch(unknownCall(log));
      await announcer.announce(TOPIC, call);
    },
    async close() {
      announcer.close();
      await leave();
    },
  };
}

const unknownCall =
  (log: Logger) =>
  (error: unknown): undefined =>
    void log("warn", "generation.call", { why: messageOf(error) });
