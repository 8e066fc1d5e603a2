/** Every promise of the specification is a row; every served row is cited by a test; every citation names a row. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REQUIREMENTS } from "./requirements/index.ts";
import { statusTable } from "./requirements/status.ts";

const root = join(import.meta.dir, "..");
const sources = [...new Bun.Glob("{core,plugins,providers,guardrails,storage,tests}/**/*.ts").scanSync({ cwd: root })].filter(
  (file) => !file.startsWith("tests/requirements/"),
);
const cited = new Set(
  sources.flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(/verifies\(\s*"([^"]+)"/g)].map(([, id]) => id ?? "")),
);

test("ids are unique", () => {
  const ids = REQUIREMENTS.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});
test("every served promise is cited by a test", () => {
  expect(REQUIREMENTS.filter(({ id, served }) => served === true && !cited.has(id)).map(({ id }) => id)).toEqual([]);
});
test("every citation names a served promise", () => {
  const served = new Set(REQUIREMENTS.filter((row) => row.served === true).map(({ id }) => id));
  expect([...cited].filter((id) => !served.has(id))).toEqual([]);
});
test("the README's status table is the one the rows give", () => {
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(statusTable(REQUIREMENTS));
});
