import { afterEach, expect, spyOn, test } from "bun:test";
import { MovingEpoch } from "./epoch.ts";

afterEach(() => void spyOn(performance, "now").mockRestore());
const at = (ms: number): void => void spyOn(performance, "now").mockReturnValue(ms);

test("an epoch ends with the first change", () => {
  const epoch = new MovingEpoch();
  const before = epoch.current;
  expect(epoch.current).toBe(before);
  epoch.advance();
  expect(epoch.current).not.toBe(before);
});

test("there is none while an answer may no longer hold, and a new one afterwards", () => {
  at(1_000);
  const epoch = new MovingEpoch();
  const before = epoch.current;
  epoch.unsure(3_000);
  epoch.unsure(2_000);
  at(2_500);
  expect(epoch.current).toBeNaN();
  at(3_000);
  expect(epoch.current).toBe(epoch.current);
  expect(epoch.current).not.toBe(before);
});
