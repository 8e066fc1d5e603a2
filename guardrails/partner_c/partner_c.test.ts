import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { atWork } from "../../tests/kit/set-up.ts";
import { testPack } from "../../tests/kit/check.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import partnerC from "./index.ts";
import manifest from "./manifest.json";

await testPack(partnerC, manifest);

const SCANNERS = ["prompt_injection", "pii", "secrets", "toxic_language", "invisible_characters"];

test(verifies("2.6.partner-c", "both checks take the five scanners and no others, and need one"), async () => {
  const { provides, close } = await atWork({ plugin: partnerC, manifest: manifest as never }); // JSON's types are wider than a manifest's
  for (const { params } of provides.checks) {
    const takes = (scanners: unknown): boolean => Value.Check(params, { scanners, timeout: 1 });
    expect([takes(SCANNERS), takes(["mood"]), takes([]), takes(undefined)]).toEqual([true, false, false, false]);
  }
  await close();
});
test(verifies("8.check-timeouts", "both checks wait 5000 ms unless told otherwise"), async () => {
  const { provides, close } = await atWork({ plugin: partnerC, manifest: manifest as never }); // ditto
  for (const { params } of provides.checks) expect(Value.Default(params, { scanners: SCANNERS })).toMatchObject({ timeout: 5000 });
  await close();
});
