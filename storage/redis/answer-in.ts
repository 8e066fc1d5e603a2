import { withDeadline } from "#contract";

/** The server's answer, or an error after so many milliseconds. */
export const answerIn = <T>(timeoutMs: number, answer: Promise<T>): Promise<T> =>
  withDeadline(answer, timeoutMs, (ms) => new Error(`no answer within ${ms} ms`));
