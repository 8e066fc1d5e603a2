import type { Change, Claim, Counters, Reserved } from "#contract";
import { type Connection, inTransaction } from "./database.ts";
import { addOn, type Counter, reserveOn, Sheet, type StoredCounter } from "./counter-sheet.ts";

const FORGET_EVERY = 500;
const FORGET_AT_MOST = 1000;

/** A reservation or an addition that waits for the next transaction. */
class Job<A, R> {
  readonly done = Promise.withResolvers<R>();
  private result: R | undefined;
  constructor(
    private readonly work: (sheet: Sheet, asked: A) => R,
    private readonly asked: A,
  ) {}
  /** Done on the counters as they are under the lock. */
  on(sheet: Sheet): void {
    this.result = this.work(sheet, this.asked);
  }
  /** Once that is stored. */
  answer(): void {
    this.done.resolve(this.result as R); // it was done
  }
  fail(error: unknown): void {
    this.done.reject(error);
  }
}
type AnyJob = Pick<Job<unknown, unknown>, "on" | "answer" | "fail">;

/**
 * Fixed-window counters in one table. What is asked for in one turn of the event loop is one transaction: each job sees
 * what the jobs before it did, each counter is read and written once, and nobody is answered before it is stored.
 */
export const sqliteCounters = (connection: Connection, now: () => number): Counters => {
  const { db } = connection;
  const reading = db.prepare<StoredCounter, [string]>(`select "value", "expires_at" from "_counters" where "key" = ?1`);
  /** Nearly every write: a column of the index is left alone, and with it the index. */
  const moving = db.prepare<unknown, [number, string]>(`update "_counters" set "value" = ?1 where "key" = ?2`);
  const writing = db.prepare<unknown, [string, number, number]>(
    `insert into "_counters" ("key", "value", "expires_at") values (?1, ?2, ?3) on conflict ("key") do update set "value" = excluded."value", "expires_at" = excluded."expires_at"`,
  );
  const forgetting = db.prepare<unknown, [number]>(
    `delete from "_counters" where "key" in (select "key" from "_counters" where "expires_at" < ?1 limit ${FORGET_AT_MOST})`,
  );
  const stored = (key: string): StoredCounter | null => reading.get(key);
  const write = ({ key, value, keptUntil, expiresAt = 0 }: Counter): unknown =>
    keptUntil === expiresAt ? moving.run(value, key) : writing.run(key, value, expiresAt);

  let writes = 0;
  /** Windows that have passed go a few at a time, as new ones come. */
  const forget = (made: number): void => {
    const due = Math.floor((writes + made) / FORGET_EVERY) > Math.floor(writes / FORGET_EVERY);
    writes += made;
    if (due) forgetting.run(now());
  };

  /** The last transaction moved nothing: under a spent limit every request is refused, and that needs no write lock. */
  let spent = false;
  const done = (jobs: readonly AnyJob[]): void => {
    if (spent && sheetOf(jobs, stored).moved.length === 0) return;
    inTransaction(db, () => {
      const { moved } = sheetOf(jobs, stored);
      for (const counter of moved) write(counter);
      spent = moved.length === 0;
      forget(jobs.length);
    });
  };

  let waiting: AnyJob[] = [];
  const flush = (): void => {
    const jobs = waiting;
    if (jobs.length === 0) return;
    waiting = [];
    try {
      connection.write("counters", () => done(jobs));
      for (const job of jobs) job.answer();
    } catch (error) {
      for (const job of jobs) job.fail(error);
    }
  };
  const soon = <A, R>(work: (sheet: Sheet, asked: A) => R, asked: A): Promise<R> => {
    const job = new Job(work, asked);
    if (waiting.push(job) === 1) setImmediate(flush);
    return job.done.promise;
  };

  return {
    reserve: (claims: readonly Claim[]): Promise<Reserved> => soon(reserveOn, claims),
    add: (changes: readonly Change[]) => soon(addOn, changes),
    read: async (keys) => {
      flush(); // what was asked for before is seen
      return connection.run("counters", () => keys.map((key) => reading.get(key)?.value ?? 0));
    },
  };
};

/** What the counters come to once the jobs are done, one after the other. */
function sheetOf(jobs: readonly AnyJob[], stored: (key: string) => StoredCounter | null): Sheet {
  const sheet = new Sheet(stored);
  for (const job of jobs) job.on(sheet);
  return sheet;
}
