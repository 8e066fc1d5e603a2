import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokenManifests } from "./manifest-syntax.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("a manifest that is no JSON is named, with what is wrong in it; the others are not", () => {
  const root = mkdtempSync(join(tmpdir(), "gateway-manifests-"));
  made.push(root);
  for (const [id, text] of Object.entries({ good: '{"id": "good"}', cut: '{"id": "cut",' })) {
    mkdirSync(join(root, "providers", id), { recursive: true });
    writeFileSync(join(root, "providers", id, "manifest.json"), text);
  }
  expect(brokenManifests(root).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The manifest providers\/cut\/manifest\.json is not valid at \(file\): it is not JSON: \w/),
  ]);
});
test("no manifest of this tree is broken", () => expect(brokenManifests()).toEqual([]));
