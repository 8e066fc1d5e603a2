export type Listener = (message: string | null) => void;

/** The subscriptions of one feed connection. A listener that throws is reported and keeps nobody else from hearing. */
export interface Listeners {
  add(topic: string, listener: Listener): () => void;
  deliver(topic: string, message: string): void;
  /** Tells every listener that messages may have been missed. */
  missed(): void;
  clear(): void;
  /** Topics somebody listens to. */
  readonly topics: number;
}

export const listeners = (onError: (error: unknown) => void): Listeners => {
  const byTopic = new Map<string, Set<Listener>>();
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
    deliver: (topic, message) => tell([...(byTopic.get(topic) ?? [])], message),
    missed: () =>
      tell(
        [...byTopic.values()].flatMap((heard) => [...heard]),
        null,
      ),
    clear: () => byTopic.clear(),
    get topics() {
      return byTopic.size;
    },
  };
};
