import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Running, Storage, StorageHandle } from "#contract";
import { blobsSuite } from "./storage/blobs.ts";
import { countersSuite } from "./storage/counters.ts";
import { feedSuite } from "./storage/feed.ts";
import { keyValueSuite } from "./storage/key-value.ts";
import { logsSuite } from "./storage/logs.ts";
import { recordsSuite } from "./storage/records.ts";
import { togetherSuite } from "./storage/together.ts";
import { KIT_COLLECTIONS } from "./storage/sample.ts";
import type { Subject } from "./storage/subject.ts";

/** One empty set of data to test on, e.g. a fresh folder or database. */
export interface StorageUnderTest {
  /** Sets the plugin up over that data; each call as a process of its own would. The suite calls `ready` and `close`. */
  connect(): Running<Storage> | Promise<Running<Storage>>;
  /** Removes the data, after everything was closed. */
  destroy(): Promise<void>;
}

export interface StorageKitOptions {
  /** The handles the backend has; the suite runs for these and fails when there are others. */
  readonly supports: readonly StorageHandle[];
  /** The backend keeps blobs in memory by its nature. */
  readonly inMemory?: boolean;
}

/** The promises of `Storage`, checked on one backend. */
export const testStorage = (
  name: string,
  open: () => StorageUnderTest | Promise<StorageUnderTest>,
  { supports, inMemory = false }: StorageKitOptions,
): void => {
  describe(`storage ${name} (${supports.join(", ")})`, () => {
    const opened: { data?: StorageUnderTest; near?: Running<Storage>; far?: Running<Storage> } = {};
    const connect = async (): Promise<Running<Storage>> => {
      if (opened.data === undefined) throw new Error("The storage under test was not opened.");
      const running = await opened.data.connect();
      await running.ready?.();
      await running.provides.records?.migrate(KIT_COLLECTIONS);
      return running;
    };
    const there = (which: "near" | "far"): Storage => {
      const running = opened[which];
      if (running === undefined) throw new Error("The storage under test was not connected.");
      return running.provides;
    };
    const subject: Subject = { near: () => there("near"), far: () => there("far"), connect, inMemory };

    beforeAll(async () => {
      opened.data = await open();
      opened.near = await connect();
      opened.far = await connect();
    }, 30_000);
    afterAll(async () => {
      await opened.near?.close?.();
      await opened.far?.close?.();
      await opened.data?.destroy();
    }, 30_000);

    test("it provides the handles it says and no others", () => {
      const provided = Object.entries(subject.near())
        .filter(([, handle]) => handle !== undefined)
        .map(([handle]) => handle);
      if (provided.sort().join() !== [...supports].sort().join())
        throw new Error(`provides ${provided.join()}, supports ${supports.join()}`);
    });
    for (const handle of supports) describe(handle, () => SUITES[handle](subject));
  });
};

const SUITES: Readonly<Record<StorageHandle, (subject: Subject) => void>> = {
  records: (subject) => {
    recordsSuite(subject);
    togetherSuite(subject);
  },
  counters: countersSuite,
  kv: keyValueSuite,
  feed: feedSuite,
  logs: logsSuite,
  blobs: blobsSuite,
};
