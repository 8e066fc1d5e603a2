import { expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { atWork, testTokenizer } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

const given = { plugin, manifest: manifest as Manifest, config: { provider: "acme" } };
testTokenizer({ ...given, model: { providerId: "acme", model: "acme-1" } });

test("words and signs are counted, for its provider alone", async () => {
  const { provides } = await atWork(given);
  expect(provides.count(["Hello, world!"], { providerId: "acme", model: "acme-1" })).toEqual([4]);
  expect(provides.count(["Hello, world!"], { providerId: "other", model: "acme-1" })).toBeUndefined();
});
