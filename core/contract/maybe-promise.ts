/* Runs synchronously when the value is already known: the warm path of a request makes no promise that it does not need. */

/** A value that is known already, or still to come. */
export type MaybePromise<T> = T | Promise<T>;

/** Anything with a `then`. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** `then` without a promise where there is none. */
export const after = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
/** `Promise.all` without a promise where there is none. */
export const all = <T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> =>
  values.some(isWaitedFor) ? Promise.all(values) : (values as readonly T[]); // no promise among them
const isWaitedFor = (value: unknown): boolean => value instanceof Promise;
