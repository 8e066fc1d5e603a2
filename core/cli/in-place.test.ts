import { expect, test } from "bun:test";
import { GatewayError } from "#contract";
import { inPlace, type RestorePart } from "./in-place.ts";

/** Parts of which the named one cannot be put in place; `done` tells what happened to them. */
function parts(fails: string, done: string[]): readonly RestorePart[] {
  return ["storage/a", "storage/b", "spool"].map((name) => ({
    name,
    replace: async (aside) => {
      if (name === fails) throw new Error("no space left");
      done.push(`${name} replaced`);
      return `/data/${name}/${aside}`;
    },
    discard: async () => void done.push(`${name} discarded`),
  }));
}
const failure = (all: readonly RestorePart[]): Promise<unknown> =>
  inPlace(all, "aside").then(
    () => "it was restored",
    (error: unknown) => error,
  );

test("what is put in place is kept where it says", async () =>
  expect(await inPlace(parts("none", []), "aside")).toEqual(["/data/storage/a/aside", "/data/storage/b/aside", "/data/spool/aside"]));
test("where the first part fails, nothing was replaced, and nothing is left lying about", async () => {
  const done: string[] = [];
  expect(String(await failure(parts("storage/a", done)))).toContain("no space left");
  expect(done).toEqual(["storage/a discarded", "storage/b discarded", "spool discarded"]);
});
test("where a later part fails, the rest is thrown away, and the error says what is in place already and what to do", async () => {
  const done: string[] = [];
  const error = await failure(parts("spool", done));
  expect(done).toEqual(["storage/a replaced", "storage/b replaced", "spool discarded"]);
  expect(GatewayError.is(error) && `${error.code}: ${error.message}`).toMatch(
    /^RESTORE_INCOMPLETE: .*storage\/a, storage\/b .*spool.*no space left.*\/data\/storage\/a\/aside.*run the command again/i,
  );
});
