import { expect, test } from "bun:test";
import { FairQueue, type Waiting } from "./queue.ts";

const item = (tenant: string, chars = 1): Waiting => ({ tenant, chars });
const always = (): boolean => true;

test("tenants take turns, however much one of them has", () => {
  const queue = new FairQueue<Waiting>();
  for (let i = 0; i < 5; i += 1) queue.add(item("a"));
  queue.add(item("b"));
  queue.add(item("c"));
  expect(Array.from({ length: 7 }, () => queue.take(always)?.tenant)).toEqual(["a", "b", "c", "a", "a", "a", "a"]);
  expect([queue.take(always), queue.length]).toEqual([undefined, 0]);
});

test("one that may not have more is passed over, and keeps its turn", () => {
  const queue = new FairQueue<Waiting>();
  for (const tenant of ["a", "a", "b"]) queue.add(item(tenant));
  expect(queue.take((tenant) => tenant !== "a")?.tenant).toBe("b");
  expect(queue.take((tenant) => tenant !== "a")).toBeUndefined();
  expect(queue.take(always)?.tenant).toBe("a");
});

test("one tenant gets a part of the places and of the bytes; the rest is there for others", () => {
  const queue = new FairQueue<Waiting>({ jobs: 8, chars: 400, share: 0.25 });
  expect([queue.add(item("a")), queue.add(item("a")), queue.add(item("a"))]).toEqual([true, true, false]);
  expect([queue.add(item("b", 90)), queue.add(item("b", 90))]).toEqual([true, false]);
  expect(queue.add(item("c", 300))).toBe(true); // more than a share, but the first of its tenant
  expect(queue.add(item("d", 90))).toBe(false); // the whole is full
  expect(queue.add(item("d", 1))).toBe(true);
  expect(queue.drain().length).toBe(5);
  expect([queue.length, queue.add(item("d", 400))]).toEqual([0, true]);
});

test("what is taken out makes room", () => {
  const queue = new FairQueue<Waiting>({ jobs: 4, chars: 100, share: 0.25 });
  const first = item("a");
  queue.add(first);
  expect(queue.add(item("a"))).toBe(false);
  queue.remove(first);
  queue.remove(first); // a second time is nothing
  expect([queue.add(item("a")), queue.length]).toEqual([true, 1]);
});
