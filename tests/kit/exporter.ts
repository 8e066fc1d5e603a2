import { describe, expect, test } from "bun:test";
import type { Exporter, Outcome } from "#contract";
import { CANARY, oddOutcomes, outcomeOf, traces } from "./outcome.ts";
import { forAll, type PluginCase } from "./set-up.ts";

/** Gives outcomes to an exporter of either sort, as the gateway does. A record goes through its text, for it may have waited on disk. */
export async function exportTo(exporter: Exporter, batch: readonly Outcome[]): Promise<void> {
  if (!("record" in exporter)) return exporter.export(batch);
  const records = batch.flatMap((outcome) => exporter.record(outcome) ?? []);
  if (records.length > 0) await exporter.write(records.map((record) => JSON.parse(JSON.stringify(record)) as object));
}

/** Conformance of an exporter: it takes whatever happened, changes nothing of it, and lets no credential out. */
export function testExporter(given: PluginCase<"exporter">): void {
  describe(`exporter ${given.manifest.id}`, () => {
    const at = forAll({ ...given, host: { fetch: () => new Response(null, { status: 202 }), ...given.host } });

    test("takes an empty batch", async () => expect(await exportTo(at().provides, [])).toBeUndefined());
    test("takes every way in which a request can end, and changes nothing of it", async () => {
      await exportTo(
        at().provides,
        oddOutcomes().map((outcome) => Object.freeze(outcome)),
      );
    });
    test("takes a large batch", async () => {
      await exportTo(
        at().provides,
        Array.from({ length: 1000 }, () => outcomeOf()),
      );
    });
    test("a record is plain data with nothing secret in it, and without bodies it is a record still", () => {
      const { provides } = at();
      if (!("record" in provides)) return expect(provides.export).toBeFunction();
      for (const outcome of oddOutcomes()) {
        const record = provides.record(outcome);
        if (record === undefined) continue;
        const bare = provides.withoutBodies(record);
        for (const one of [record, bare]) expect(JSON.parse(JSON.stringify(one))).toEqual(dropUndefined(one));
        expect(JSON.stringify([record, bare])).not.toContain(CANARY);
        expect(JSON.stringify(bare).length).toBeLessThanOrEqual(JSON.stringify(record).length + MARKS);
        expect(provides.withoutBodies(bare)).toEqual(bare);
      }
    });
    test("writes and sends no credential", async () => {
      const batch = oddOutcomes();
      await exportTo(at().provides, batch);
      const rows = await Promise.all(batch.map(async ({ call }) => at().storage.logs?.get(call.id)));
      expect(await traces([at().lines, rows], at().sent)).not.toContain(CANARY);
    });
  });
}

/** A bare record may say in a few words that it is one. */
const MARKS = 32;
/** JSON has no members without a value. */
function dropUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, dropUndefined(member)]])),
  );
}
