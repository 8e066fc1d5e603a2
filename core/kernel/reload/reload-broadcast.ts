import { type Logger, messageOf } from "#contract";
import { createAnnouncer } from "../records/announce.ts";
import type { Stores } from "../generation.ts";

/**
 * A new generation that is asked for on one process is built by every process of the deployment: its other workers and
 * nodes hear the call on the feed. Each builds from its own profile file; one that cannot stays as it was, and tells the caller.
 */
export interface ReloadCall {
  /** Calls the others. What cannot be told just now is told later. */
  call(how?: How): Promise<void>;
  close(): Promise<void>;
}
/** How a new generation is to be made. */
export interface How {
  /** Also when plugins that run now would be lost. */
  readonly force?: boolean;
}
/** What a process does when it hears of another. */
export interface Hearing {
  /** Another has called: builds a new generation; a rejection says why this process stays as it was. */
  called(how: How): Promise<unknown>;
  /** Another process did not follow a call of this one. */
  refusedElsewhere(why: string): void;
}
/** What a process remembers across its generations. One writer: the functions below. */
export interface Heard {
  /** The newest call made or heard; nothing is built twice for it. */
  last: string | undefined;
  /** The newest call that this process made itself. */
  made?: string;
  /** What was last heard of one that did not follow it. */
  refused?: string;
}
const TOPIC = "generations";
/** What processes say that did not follow a call: the call, a blank, and why. */
const REFUSED = "generations:refused";
const MOST_WHY = 1_000;
/** Ends a call that is obeyed also where plugins would be lost. */
const FORCED = ":force";
/** Where the newest call stands, for a process that was cut off from the feed when it was made. */
const NEWEST = "generations:newest-call";

/** Listens for calls of other processes; each is heard once. */
export async function listenForCalls(
  { feed, kv }: Pick<Stores, "feed" | "kv">,
  heard: Heard,
  { called, refusedElsewhere }: Hearing,
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
    called({ force: call.endsWith(FORCED) }).catch((error: unknown) =>
      announcer.announce(REFUSED, `${call} ${messageOf(error).slice(0, MOST_WHY)}`),
    );
  };
  const hearRefusal = (refusal: string | null): void => {
    const { made, refused } = heard;
    if (made === undefined || refusal === null || refusal === refused || !refusal.startsWith(`${made} `)) return;
    heard.refused = refusal; // the generation before may listen too
    refusedElsewhere(refusal.slice(made.length + 1));
  };
  const catchUp = (): void => void newest().then(hear, unknownCall(log));
  const leave = await Promise.all([
    feed.subscribe(REFUSED, hearRefusal),
    feed.subscribe(TOPIC, (call) => (call === null ? catchUp() : hear(call))),
  ]);
  heard.last ??= await newest().catch(unknownCall(log)); // what was called before this process began is done with
  return {
    async call({ force = false } = {}) {
      const call = crypto.randomUUID() + (force ? FORCED : "");
      heard.last = call;
      heard.made = call;
      await kv.set(NEWEST, new TextEncoder().encode(call)).catch(unknownCall(log));
      await announcer.announce(TOPIC, call);
    },
    async close() {
      announcer.close();
      await Promise.all(leave.map((end) => end()));
    },
  };
}

const unknownCall =
  (log: Logger) =>
  (error: unknown): undefined =>
    void log("warn", "generation.call", { why: messageOf(error) });
