/**
 * The answer, or an error after so many milliseconds. When our own event loop stood still for as long, that is not
 * the server's fault: what has arrived meanwhile is read before the answer is given up.
 */
export const within = <T>(timeoutMs: number, answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new NoAnswer(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });

export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}
