import { Type } from "@sinclair/typebox";
import { expect, test } from "bun:test";
import { problems } from "./shape.ts";

const Words = Type.Object({ words: Type.Array(Type.String(), { maxItems: 1_000 }) });

/** A list that says how many of its items were looked at. */
function watched(items: readonly unknown[]) {
  const seen = new Set<string>();
  const list = new Proxy([...items], {
    get(target, name, receiver) {
      if (typeof name === "string" && /^\d+$/.test(name)) seen.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { list, seen };
}

test("of a list that is too long no item is looked at", () => {
  for (const item of ["a", 5]) {
    const { list, seen } = watched(Array.from({ length: 15_000 }, () => item));
    const [found, ...others] = problems(Words, { words: list });
    expect(found).toEqual({ path: "words", why: "it is a list; expected array length to be less or equal to 1000" });
    expect([others, seen.size]).toEqual([[], 0]);
  }
});
test("of the wrong items of a list some are told, and the others not looked at", () => {
  const { list, seen } = watched(Array.from({ length: 1_000 }, () => 5));
  expect(problems(Words, { words: list }).length).toBe(20);
  expect(seen.size).toBeLessThan(30);
});
