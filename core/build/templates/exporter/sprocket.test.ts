import { expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { atWork, exportTo, outcomeOf, testExporter } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

const given = {
  plugin,
  manifest: manifest as Manifest,
  host: { secrets: { SPROCKET_API_KEY: "key-of-sprocket" } },
};
testExporter(given);

test("one line per request, signed with the key", async () => {
  const { provides, sent, close } = await atWork({ ...given, host: { ...given.host, fetch: () => new Response() } });
  await exportTo(provides, [outcomeOf(), outcomeOf()]);
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer key-of-sprocket");
  expect((await sent[0]?.text())?.split("\n")).toHaveLength(3);
  await close();
});

test("a collector that refuses is an error", async () => {
  const { provides, close } = await atWork({ ...given, host: { ...given.host, fetch: () => new Response(null, { status: 500 }) } });
  await expect(exportTo(provides, [outcomeOf()])).rejects.toThrow("500");
  await close();
});
