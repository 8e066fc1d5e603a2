import type { Change, Claim, Counters, Reserved } from "#contract";
import { type Connection, inTransaction } from "./database.ts";
import { addOn, reserveOn, Sheet } from "./counter-sheet.ts";

const FORGET_EVERY = 500;
const FORGET_AT_MOST = 1000;

interface Stored {
  readonly value: number;
  readonly expires_at: number;
}

/** A reservation or an addition that waits for the next transaction. */
interface Job {
  /** Done on the counters as they are under the lock; gives what to answer once that is stored. */
  on(sheet: Sheet): () => void;
  fail(error: unknown): void;
}

/**
 * Fixed-window counters in one table. What is asked for in one turn of the event loop is one transaction: each job sees
 * what the jobs before it did, each counter is read and written once, and nobody is answered before it is stored.
 */
export const sqliteCounters = (connection: Connection, now: () => number): Counters => {
  const { db } = connection;
  const reading = db.prepare<Stored, [string]>(`select "value", "expires_at" from "_counters" where "key" = ?1`);
  /** Nearly every write: a column of the index is left alone, and with it the index. */
  const moving = db.prepare<unknown, [number, string]>(`update "_counters" set "value" = ?1 where "key" = ?2`);
  const writing = db.prepare<unknown, [string, number, number]>(
    `insert into "_counters" ("key", "value", "expires_at") values (?1, ?2, ?3) on conflict ("key") do update set "value" = excluded."value", "expires_at" = excluded."expires_at"`,
  );
  const forgetting = db.prepare<unknown, [number]>(
    `delete from "_counters" where "key" in (select "key" from "_counters" where "expires_at" < ?1 limit ${FORGET_AT_MOST})`,
  );
  /** When the counters that were read may be forgotten. */
  const keptUntil = new Map<string, number>();
  const current = (key: string): number => {
    const stored = reading.get(key);
    if (stored === null) return 0;
    keptUntil.set(key, stored.expires_at);
    return stored.value;
  };
  const write = (key: string, value: number, expiresAt: number): unknown =>
    keptUntil.get(key) === expiresAt ? moving.run(value, key) : writing.run(key, value, expiresAt);

  let writes = 0;
  /** Windows that have passed go a few at a time, as new ones come. */
  const forget = (made: number): void => {
    const due = Math.floor((writes + made) / FORGET_EVERY) > Math.floor(writes / FORGET_EVERY);
    writes += made;
    if (due) forgetting.run(now());
  };

  /** The last transaction moved nothing: under a spent limit every request is refused, and that needs no write lock. */
  let spent = false;
  const done = (jobs: readonly Job[]): (() => void)[] => {
    if (spent) {
      const guess = new Sheet(current);
      const guessed = jobs.map((job) => job.on(guess));
      if (guess.moved.size === 0) return guessed;
    }
    return inTransaction(db, () => {
      keptUntil.clear();
      const sheet = new Sheet(current);
      const answers = jobs.map((job) => job.on(sheet));
      for (const [key, expiresAt] of sheet.moved) write(key, sheet.value(key), expiresAt);
      spent = sheet.moved.size === 0;
      forget(jobs.length);
      return answers;
    });
  };

  let waiting: Job[] = [];
  const flush = (): void => {
    const jobs = waiting;
    if (jobs.length === 0) return;
    waiting = [];
    try {
      for (const answer of connection.run("counters", () => done(jobs))) answer();
    } catch (error) {
      for (const job of jobs) job.fail(error);
    }
  };
  const soon = <R>(work: (sheet: Sheet) => R): Promise<R> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({
        on: (sheet) => {
          const result = work(sheet);
          return () => resolve(result);
        },
        fail: reject,
      });
    });

  return {
    reserve: (claims: readonly Claim[]): Promise<Reserved> => soon((sheet) => reserveOn(sheet, claims)),
    add: (changes: readonly Change[]) => soon((sheet) => addOn(sheet, changes)),
    read: async (keys) => {
      flush(); // what was asked for before is seen
      return connection.run("counters", () => keys.map((key) => reading.get(key)?.value ?? 0));
    },
  };
};
