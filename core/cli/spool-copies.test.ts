import { afterEach, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as files from "../kernel/secrets/private-file.ts";
import { SUFFIX } from "../pipeline/settle/spool/spool.ts";
import { SPOOL_FOLDER } from "../pipeline/settle/spool/spools.ts";
import { copySpool, restoreSpool } from "./spool-copies.ts";

const root = mkdtempSync(join(tmpdir(), "spool-copies-"));
const synced = spyOn(files, "syncPath");
afterEach(() => {
  synced.mockRestore();
  rmSync(root, { recursive: true, force: true });
});

test("each folder of a copied spool is on the disk with the names in it, and so is each that was put back", async () => {
  const [data, backup, fresh] = [join(root, "data"), join(root, "backup"), join(root, "fresh")];
  const exporters = ["exporter-a", "exporter-b"];
  for (const exporter of exporters) {
    mkdirSync(join(data, SPOOL_FOLDER, "process", exporter), { recursive: true });
    writeFileSync(join(data, SPOOL_FOLDER, "process", exporter, `1${SUFFIX}`), "{}\n");
  }
  const copy = join(backup, SPOOL_FOLDER);
  expect(copySpool(data, copy)).toBe(2);
  const paths = (): readonly string[] => synced.mock.calls.map(([path]) => path);
  expect(paths()).toEqual(expect.arrayContaining([copy, ...exporters.map((exporter) => join(copy, exporter))]));
  synced.mockClear();
  await restoreSpool(backup, fresh, 2).replace("aside");
  const names = paths().map((path) => path.replace(/restoring-spool-\w+/, "staged"));
  const left = join(fresh, "staged", "restored");
  expect(names).toEqual(expect.arrayContaining([join(fresh, "staged"), left, ...exporters.map((exporter) => join(left, exporter)), fresh]));
});
