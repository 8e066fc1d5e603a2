/**
 * A generator that was never begun does not run its `finally` when it is closed, so what it would have read stays open.
 * Closing this one closes that too, begun or not.
 */
export function closing<T>(flow: AsyncGenerator<T>, close: () => Promise<unknown> | undefined): AsyncGenerator<T> {
  const end = flow.return.bind(flow);
  flow.return = async (value) => {
    await close();
    return end(value);
  };
  return flow;
}
