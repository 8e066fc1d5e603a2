/* Runs synchronously when the value is already known: a warm request makes no promise that it does not need. */

export type MaybePromise<T> = T | Promise<T>;

/** `then` without a promise where there is none. */
export const after = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** `Promise.all` without a promise where there is none. */
export const all = <T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]); // no promise among them
