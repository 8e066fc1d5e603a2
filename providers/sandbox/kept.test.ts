import { describe, expect, test } from "bun:test";
import { idAt, Kept, newId } from "./kept.ts";

describe("what the sandbox keeps", () => {
  const thing = (id: string, text = "") => ({ id, object: "thing", text });
  const idsIn = async (kept: Kept) => (await kept.all("thing")).map(({ id }) => id);

  test("is found by its key until it is dropped, and told in the order in which it was made", async () => {
    const kept = new Kept();
    for (const id of ["a", "b", "c"]) kept.put(id, thing(id));
    kept.put("a", thing("a", "changed"));
    expect([kept.get("a")?.["text"], await idsIn(kept)]).toEqual(["changed", ["a", "b", "c"]]);
    kept.drop("b");
    expect([kept.get("b"), await idsIn(kept)]).toEqual([undefined, ["a", "c"]]);
  });
  test("is no more than so many things: the oldest go", async () => {
    const kept = new Kept();
    for (let at = 0; at < 2_100; at += 1) kept.put(`t${at}`, thing(`t${at}`));
    const left = await idsIn(kept);
    expect([left.length, left[0], left.at(-1)]).toEqual([2_000, "t100", "t2099"]);
  });
  test("is no more than so many characters, changed things counted once", async () => {
    const kept = new Kept();
    for (let at = 0; at < 100; at += 1) kept.put("same", thing("same", "x".repeat(900_000)));
    for (let at = 0; at < 16; at += 1) kept.put(`t${at}`, thing(`t${at}`, "x".repeat(990_000)));
    expect(await idsIn(kept)).toEqual(Array.from({ length: 16 }, (_, at) => `t${at}`));
  });
  test("is nothing that is too long by itself", () => {
    const kept = new Kept();
    expect(() => kept.put("long", thing("long", "x".repeat(1_000_001)))).toThrow("up to 1000000 characters");
    expect(kept.get("long")).toBeUndefined();
  });
  test("has ids that nobody can guess", () => expect(newId("vs_")).toMatch(/^vs_[0-9a-f]{24}$/));
  test("is asked for by the ids of a path", () =>
    expect([idAt("/threads/t%2F1/runs/r", 1), idAt("/threads/t%2F1/runs/r", 3), idAt("/threads", 1)]).toEqual(["t/1", "r", ""]));
});
