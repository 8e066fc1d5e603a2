import { GatewayError, type ResourceAction } from "#contract";
import { namesState, stateOf } from "./etag.ts";
import { type Input, type On, oneOf, type Row, rowsOf } from "./record.ts";

/* Writes of the one record that a path names: none is made over one that its writer has not seen. */

/** Makes the write; `undefined` says that the record was changed after it was read. */
export type Write<R> = (record: Row) => Promise<R | undefined>;

/** Without If-Match, of what is there by now; with it, of what the client has read and of nothing else. */
export function written<R>(on: On, input: Input, action: ResourceAction, write: Write<R>): Promise<R> {
  const expected = input.request.headers.get("if-match");
  return expected === null ? repeated(on, input, action, write) : claimed(on, input, { action, expected, write });
}

/** What is done to a record below its path, once; with If-Match, to what the client has read. */
export async function done<R>(on: On, input: Input, action: ResourceAction | undefined, act: (record: Row) => Promise<R>): Promise<R> {
  const expected = input.request.headers.get("if-match");
  if (expected === null) return act(await oneOf(on, input, action));
  const write = async (record: Row): Promise<{ readonly answer: R }> => ({ answer: await act(record) });
  return (await claimed(on, input, { action, expected, write })).answer;
}

/** What was changed meanwhile is read again, so often. */
const TRIES = 5;
async function repeated<R>(on: On, input: Input, action: ResourceAction, write: Write<R>): Promise<R> {
  for (let left = TRIES; ; left -= 1) {
    const record = await oneOf(on, input, action);
    const answer = await write(record);
    if (answer !== undefined) return answer;
    if (left === 0) throw new GatewayError("CHANGED_MEANWHILE", { what: whatOf(on, record) });
  }
}

interface Expecting<R> {
  readonly action: ResourceAction | undefined;
  readonly expected: string;
  readonly write: Write<R>;
}
/** The record is stamped first, if it is still what was read: of two that have read the same, one goes on, before anything follows from it. */
async function claimed<R>(on: On, input: Input, { action, expected, write }: Expecting<R>): Promise<R> {
  const record = await oneOf(on, input, action);
  const stamp = laterThan(record, input.now);
  const isAsRead = namesState(expected, stateOf(on, record));
  if (!isAsRead || !(await rowsOf(on).update(record.id, { last_updated_at: stamp }, comparable(record)))) throw changed(on, record);
  try {
    const answer = await write({ ...record, last_updated_at: stamp });
    if (answer === undefined) throw changed(on, record);
    return answer;
  } catch (thrown) {
    await unclaimed(on, record, stamp);
    throw thrown;
  }
}

/** A write that was refused changed nothing: the record is again what its readers have. */
async function unclaimed(on: On, { id, last_updated_at }: Row, stamp: number): Promise<void> {
  await rowsOf(on)
    .update(id, { last_updated_at }, { last_updated_at: stamp })
    .catch(() => undefined); // why the write failed is what is told; another stamp harms nobody but who must read again
}

/** A moment that no write of the record had before. */
export const laterThan = (record: Row, now: number): number => Math.max(now, record.last_updated_at + 1);
/** What no other write left as it was: the store compares plain values, and each write has its moment. */
const comparable = (record: Row): Partial<Row> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => typeof value !== "object" || value === null));

const changed = (on: On, record: Row): GatewayError => new GatewayError("PRECONDITION_FAILED", { what: whatOf(on, record) });
const whatOf = ({ resource }: On, { id }: Row): string => `The ${resource.noun} ${id}`;
