import { describe, expect, test } from "bun:test";
import { GatewayError } from "#contract";
import { budgetOf, MemoryBudget, usableMemory } from "./memory-budget.ts";
import { nestingCost } from "../../json/memory-cost.ts";

const MB = 1024 * 1024;
const codeOf = (run: () => void): string => {
  try {
    run();
    return "taken";
  } catch (thrown) {
    return GatewayError.is(thrown) ? thrown.code : String(thrown);
  }
};
const holdOf = (budget: MemoryBudget, tenant: string) => Object.assign(budget.hold(), { tenant });

describe("the memory budget", () => {
  test("refuses new work beyond it, lets work under way grow a quarter beyond, and has everything back at the end", () => {
    const budget = new MemoryBudget(100 * MB);
    const [one, two] = [holdOf(budget, "a"), holdOf(budget, "b")];
    one.take(50 * MB);
    two.take(40 * MB);
    expect(codeOf(() => holdOf(budget, "b").take(11 * MB))).toBe("MEMORY_FULL");
    one.grow(35 * MB);
    expect(codeOf(() => one.grow(1 * MB))).toBe("MEMORY_FULL");
    one.release();
    one.release();
    expect(budget.used).toBe(40 * MB);
    two.release();
    expect([budget.used, budget.peak, budget.refused, budget.ended]).toEqual([0, 125 * MB, 2, 1]);
  });
  test("a refusal is 503, says when to try again and what an operator can do", () => {
    const budget = new MemoryBudget(1 * MB);
    budget.hold().grow(1.25 * MB);
    try {
      budget.hold().take(10);
      expect.unreachable();
    } catch (thrown) {
      expect(thrown).toMatchObject({ status: 503, retryAfterSec: 2, message: expect.stringContaining("GATEWAY_MEMORY_MB") });
    }
  });
  test("small work goes on when large work fills it", () => {
    const budget = new MemoryBudget(100 * MB);
    for (const tenant of ["a", "b"]) holdOf(budget, tenant).take(50 * MB);
    expect(codeOf(() => holdOf(budget, "c").take(2 * MB))).toBe("MEMORY_FULL");
    expect(codeOf(() => holdOf(budget, "c").take(100_000))).toBe("taken");
  });
  test("one workspace leaves room for others, and takes no more than half while another takes some", () => {
    const budget = new MemoryBudget(100 * MB);
    for (let i = 0; i < 10; i += 1) codeOf(() => holdOf(budget, "greedy").take(10 * MB));
    expect(budget.used).toBe(80 * MB);
    const other = holdOf(budget, "other");
    expect(codeOf(() => other.take(10 * MB))).toBe("taken");
    expect(codeOf(() => holdOf(budget, "greedy").take(2 * MB))).toBe("MEMORY_FULL");
  });
  test("work counts with all that it costs: what is larger than half waits until no other workspace takes any", () => {
    const budget = new MemoryBudget(100 * MB);
    const other = holdOf(budget, "other");
    other.take(10 * MB);
    const held = holdOf(budget, "a");
    expect(codeOf(() => held.take(80 * MB))).toBe("MEMORY_FULL");
    other.release();
    held.take(80 * MB);
    expect(budget.used).toBe(80 * MB);
    held.release();
    expect(budget.used).toBe(0);
  });
  test("work that could never fit is refused for good, at once or when it has grown, and is no shortage", () => {
    const budget = new MemoryBudget(100 * MB);
    expect(codeOf(() => budget.hold().take(88 * MB))).toBe("BODY_TOO_COSTLY");
    const held = budget.hold();
    held.take(44 * MB);
    expect(codeOf(() => held.take(44 * MB))).toBe("BODY_TOO_COSTLY");
    held.release();
    expect([budget.used, budget.refused, budget.health().degraded]).toEqual([0, 0, []]);
  });
  test("what was released takes no more: work that goes on after its request has ended is ended", () => {
    const budget = new MemoryBudget(100 * MB);
    const held = holdOf(budget, "a");
    held.take(10 * MB);
    held.release();
    expect([codeOf(() => held.take(4 * MB)), codeOf(() => held.take(1)), codeOf(() => held.grow(1))]).toEqual(Array(3).fill("CLIENT_LEFT"));
    held.grow(-5); // what it held is back already
    held.release();
    expect(budget.used).toBe(0);
  });
  test("says how it is doing, and is well again some seconds later", () => {
    let now = 0;
    const budget = new MemoryBudget(100 * MB, () => now);
    expect(budget.health().degraded).toEqual([]);
    holdOf(budget, "a").take(60 * MB);
    holdOf(budget, "b").take(40 * MB);
    codeOf(() => holdOf(budget, "a").take(60 * MB));
    expect(budget.health()).toMatchObject({
      degraded: [expect.stringContaining("100 MB")],
      detail: { refused: 1, budget_bytes: 100 * MB },
    });
    now = 11_000;
    expect(budget.health().degraded).toEqual([]);
  });
});

describe("the memory there is", () => {
  test("is the container's where that is less", () => {
    expect(usableMemory((file) => (file.includes("memory.max") ? `${512 * MB}\n` : ""))).toBe(512 * MB);
    expect(usableMemory((file) => (file.includes("memory.max") ? "max\n" : `${256 * MB}`))).toBe(256 * MB);
    expect(usableMemory(() => "")).toBeGreaterThan(512 * MB);
  });
  test("is shared by the processes of a port", () => {
    expect(budgetOf({ workers: 4 })).toBe(budgetOf({ workers: 1 }) / 4);
    expect(budgetOf({ workers: 4, memoryMb: 100 })).toBe(100 * MB);
  });
});

test("what a text nests is estimated from its like, wherever it stands", () => {
  const objects = `[${"{},".repeat(300_000)}{}]`;
  expect(nestingCost(objects)).toBeGreaterThan(20 * objects.length);
  expect(nestingCost("x".repeat(1_000_000))).toBe(0);
  expect(nestingCost("{}")).toBe(0);
  const half = "x".repeat(500_000) + objects.slice(0, 500_000);
  expect(nestingCost(half)).toBeGreaterThan(5 * half.length);
});
