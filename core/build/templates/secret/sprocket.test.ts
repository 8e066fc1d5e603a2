import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import type { Manifest } from "#contract";
import { testSecret } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

const dir = mkdtempSync(join(tmpdir(), "sprocket-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

testSecret({
  plugin,
  manifest: manifest as Manifest,
  config: { dir },
  put(name, value) {
    writeFileSync(join(dir, name), value);
    return () => rmSync(join(dir, name));
  },
});
