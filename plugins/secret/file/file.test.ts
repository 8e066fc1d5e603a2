import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { reader } from "./read.ts";

/** A directory with secrets, beside one that is nobody's business. */
const home = mkdtempSync(join(tmpdir(), "secrets-"));
const directory = join(home, "tenants");
mkdirSync(join(directory, "team"), { recursive: true });
mkdirSync(join(home, "tenants-other"));
const put = (path: string, text: string) => writeFileSync(join(home, path), text);
put("tenants/team/openai", "the-value\n");
put("tenants/json", '{"key":"one"}');
put("tenants/long", "x".repeat(65_537));
put("outside", "not yours");
put("tenants-other/outside", "not yours");
symlinkSync(join(home, "outside"), join(directory, "link"));
symlinkSync(home, join(directory, "up"));
symlinkSync(join(home, "tenants-other"), join(directory, "beside"));
symlinkSync(join(directory, "json"), join(directory, "inner"));

const read = (path: string, key: string | null = null, at = directory) =>
  reader(at)({ organisationId: "ours", auth: {}, path, key }, new AbortController().signal);

test(verifies("A.managers.file", "a file below the directory is read without its last line's end, or a member of it"), async () => {
  expect(await read("team/openai")).toEqual({ value: "the-value" });
  expect(await read("json", "key")).toEqual({ value: "one" });
  expect(await read("inner", "key")).toEqual({ value: "one" });
});
test.each([
  "../outside",
  "team/../../outside",
  "link",
  "up/outside",
  "beside/outside",
  "/etc/passwd",
  "..",
  ".",
  "",
  "a\0b",
  "team//openai",
])("the path %j leads nowhere", async (path) => {
  expect(await read(path)).toMatchObject({ missing: expect.any(String) });
});
test.each([
  ["a directory", "team"],
  ["a file that is too long", "long"],
  ["nothing", "absent"],
  ["what is below a file", "json/a"],
])("%s is no secret", async (_, path) => {
  expect(await read(path)).toMatchObject({ missing: expect.any(String) });
});
test("an organisation reads its own part of the directory alone, where the operator says so", async () => {
  mkdirSync(join(directory, "ours"));
  put("tenants/ours/key", "ours");
  expect(await read("key", null, join(directory, "{organisation}"))).toEqual({ value: "ours" });
  expect(await read("team/openai", null, join(directory, "{organisation}"))).toMatchObject({ missing: expect.any(String) });
});
test.each(["", "relative"])("no file is read where the operator names the directory %j", async (at) => {
  expect(await read("json", null, at)).toMatchObject({ missing: expect.stringContaining("FILE_SECRETS_DIR") });
});
