import { withDeadline } from "#contract";

/** The server's answer, or NoAnswer after so many milliseconds. */
export const answerIn = <T>(timeoutMs: number, answer: Promise<T>): Promise<T> =>
  withDeadline(answer, timeoutMs, (ms) => new NoAnswer(`no answer within ${ms} ms`));

export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}
