/**
 * Does a check's work while the ways to the network that every program has are closed: what a check may reach its manifest
 * names, and it reaches it by the `fetch` of its host. Throws where it tried one of the others, even if it caught that.
 */
export async function hostOnly<T>(who: string, work: () => Promise<T>): Promise<T> {
  const tried: string[] = [];
  const closed = (name: string) =>
    function refuse(): never {
      tried.push(name);
      throw new Error(sentence(who, name));
    };
  const { fetch: ownFetch, WebSocket: OwnSocket } = globalThis;
  Object.assign(globalThis, { fetch: closed("fetch"), WebSocket: closed("WebSocket") });
  try {
    const done = await work();
    if (tried[0] !== undefined) throw new Error(sentence(who, tried[0]));
    return done;
  } finally {
    Object.assign(globalThis, { fetch: ownFetch, WebSocket: OwnSocket });
  }
}
const sentence = (who: string, name: string): string =>
  `${who} used the global ${name}; use the host's fetch, which reaches the hosts that the manifest names.`;
