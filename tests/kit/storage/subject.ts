import { expect } from "bun:test";
import { GatewayError, type Running, type Storage, type StorageHandle } from "#contract";

/** What a suite works on: two connections to the same data, as two processes have, and more on demand. */
export interface Subject {
  near(): Storage;
  far(): Storage;
  connect(): Promise<Running<Storage>>;
  /** Whether the backend keeps everything in memory by its nature. */
  readonly inMemory: boolean;
}

/** A handle the suite was told is there. */
export const handleOf = <H extends StorageHandle>(storage: Storage, name: H): NonNullable<Storage[H]> => {
  const handle = storage[name];
  if (handle === undefined) throw new Error(`The backend does not provide ${name}.`);
  return handle;
};

/** What a call on a closed backend must do: throw STORAGE_UNAVAILABLE, and not answer. */
export const expectUnavailable = async (call: () => Promise<unknown>): Promise<void> => {
  const outcome = await Promise.resolve()
    .then(call)
    .then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
  expect("error" in outcome && GatewayError.is(outcome.error) ? outcome.error.code : outcome).toBe("STORAGE_UNAVAILABLE");
};

/** Closes a connection of its own and returns its handle. */
export const closedHandle = async <H extends StorageHandle>(subject: Subject, name: H): Promise<NonNullable<Storage[H]>> => {
  const running = await subject.connect();
  await running.close?.();
  return handleOf(running.provides, name);
};

/** The code of the GatewayError a promise fails with; anything else is a failure of the test. */
export const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => new Error("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  if (!GatewayError.is(error)) throw error;
  return error.code;
};

/** Looks again and again until something is there; the deadline fails the test. */
export const eventually = async <T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 5000,
): Promise<T> => {
  const end = performance.now() + deadlineMs;
  while (performance.now() < end) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`not within ${deadlineMs} ms: ${what}`);
};

let named = 0;
/** A name no other test uses, in this process or another. */
export const unique = (prefix: string): string => `${prefix}-${process.pid}-${(named += 1)}-${crypto.randomUUID().slice(0, 8)}`;
