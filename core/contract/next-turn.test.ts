import { expect, test } from "bun:test";
import { nextTurn, turnHasRoomFor } from "./next-turn.ts";

/** Milliseconds of work that each does before it lets others have their turn. */
const SLICE_MS = 3;
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
/** How many slices were done in each turn of the event loop. */
async function slicesOfTurns(works: number, slices: number, ms: number): Promise<readonly number[]> {
  const turns: number[] = [0];
  let isOver = false;
  const countTurns = (): void => {
    if (isOver) return;
    turns.push(0);
    setImmediate(countTurns);
  };
  const work = async (): Promise<void> => {
    for (let slice = 0; slice < slices; slice += 1) {
      await nextTurn();
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
      busy(ms);
    }
  };
  setImmediate(countTurns);
  await Promise.all(Array.from({ length: works }, work));
  isOver = true;
  return turns;
}

test("sixty long works share a turn: a few go on in each, and all come to their end", async () => {
  const turns = await slicesOfTurns(60, 5, SLICE_MS);
  expect(turns.reduce((sum, slices) => sum + slices, 0)).toBe(300);
  expect(turns.length).toBeGreaterThan(30);
  expect(Math.max(...turns)).toBeLessThanOrEqual(4);
});
test("however short the works before them were", async () => {
  await slicesOfTurns(2_000, 2, 0);
  expect(Math.max(...(await slicesOfTurns(60, 2, SLICE_MS)))).toBeLessThanOrEqual(4);
});
test("those that do not wait have room for so much, until somebody has waited for a turn", async () => {
  await nextTurn();
  const reads = Array.from({ length: 60 }, () => turnHasRoomFor(32 * 1024));
  expect(reads.filter(Boolean)).toHaveLength(4);
  await nextTurn();
  expect(turnHasRoomFor(32 * 1024)).toBeTrue();
});
test("works that are short are not kept waiting for a turn each", async () => {
  const turns = await slicesOfTurns(2_000, 1, 0);
  expect(turns.length).toBeLessThan(300);
});
test("one alone goes on in every turn", async () => {
  const turns = await slicesOfTurns(1, 100, 0);
  expect(turns.length).toBeLessThan(150);
});
