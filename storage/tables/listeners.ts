export type Listener = (message: string | null) => void;

/** The subscriptions of one feed connection. A listener that throws is reported and keeps nobody else from hearing. */
export interface Listeners {
  add(topic: string, listener: Listener): () => void;
  deliver(topic: string, message: string): void;
  /** Tells every listener that messages may have been missed. */
  missed(): void;
  clear(): void;
  /**
   * Resolves when something has just arrived, whoever sent it: then what others send arrives too. When nothing has for a
   * second, `send` sends something that nobody listens to; of all processes that share a feed, one does.
   */
  roundTrip(send: () => Promise<void>): Promise<void>;
  /** Topics somebody listens to. */
  readonly topics: number;
}

/** Less than the second between two questions, so that each is answered by what came after the one before. */
const RECENT_MS = 900;
/** Nobody listens to it. */
export const HEARTBEAT_TOPIC = "heartbeat";

export const listeners = (onError: (error: unknown) => void): Listeners => {
  const byTopic = new Map<string, Set<Listener>>();
  let arrivedAt = Number.NEGATIVE_INFINITY;
  let next = Promise.withResolvers<void>();
  const arrived = (): void => {
    arrivedAt = performance.now();
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  const tell = (heard: Iterable<Listener>, message: string | null): void => {
    for (const listener of heard) {
      try {
        listener(message);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    add: (topic, listener) => {
      // An object of its own, so that one function subscribed twice is two subscriptions.
      const own: Listener = (message) => listener(message);
      byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(own));
      return () => {
        const heard = byTopic.get(topic);
        heard?.delete(own);
        if (heard?.size === 0) byTopic.delete(topic);
      };
    },
    deliver: (topic, message) => {
      arrived();
      tell([...(byTopic.get(topic) ?? [])], message);
    },
    missed: () =>
      tell(
        [...byTopic.values()].flatMap((heard) => [...heard]),
        null,
      ),
    roundTrip: async (send) => {
      if (performance.now() - arrivedAt < RECENT_MS) return;
      const { promise } = next;
      await send();
      await promise;
    },
    clear: () => byTopic.clear(),
    get topics() {
      return byTopic.size;
    },
  };
};
