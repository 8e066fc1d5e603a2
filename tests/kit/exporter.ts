import { describe, expect, test } from "bun:test";
import { CANARY, oddOutcomes, outcomeOf, traces } from "./outcome.ts";
import { forAll, type PluginCase } from "./set-up.ts";

/** Conformance of an exporter: it takes whatever happened, changes nothing of it, and lets no credential out. */
export function testExporter(given: PluginCase<"exporter">): void {
  describe(`exporter ${given.manifest.id}`, () => {
    const at = forAll({ ...given, host: { fetch: () => new Response(null, { status: 202 }), ...given.host } });

    test("takes an empty batch", async () => expect(await at().provides.export([])).toBeUndefined());
    test("takes every way in which a request can end, and changes nothing of it", async () => {
      await at().provides.export(oddOutcomes().map((outcome) => Object.freeze(outcome)));
    });
    test("takes a large batch", async () => {
      await at().provides.export(Array.from({ length: 1000 }, () => outcomeOf()));
    });
    test("writes and sends no credential", async () => {
      const batch = oddOutcomes();
      await at().provides.export(batch);
      const rows = await Promise.all(batch.map(async ({ call }) => at().storage.logs?.get(call.id)));
      expect(await traces([at().lines, rows], at().sent)).not.toContain(CANARY);
    });
  });
}
