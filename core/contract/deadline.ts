/**
 * The work's own result, or the error when it takes longer than so many milliseconds. When our own event loop stood still
 * for as long, the other side is not to blame: what has arrived meanwhile is read before the work is given up. What it
 * comes to afterwards is heard by nobody. Needs no timer once the work has ended.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, late: (ms: number) => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(late(ms))), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (thrown: unknown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
}
