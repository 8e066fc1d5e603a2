/**
 * What the packs of vendors show of themselves. The kit makes cases of 401, 429, 500, silence, a late answer and broken ones
 * for every check it is given; what a vendor accepts, refuses and redacts, and how it is asked, only a sample can say.
 */
import { Glob } from "bun";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Check, GuardrailPack, Manifest, Plugin } from "#contract";
import type { Sample } from "./kit/check.ts";
import type { VendorCase } from "./kit/vendor.ts";
import { verifies } from "./requirements/verifies.ts";

type PackManifest = Omit<Manifest, "samples"> & { readonly samples?: readonly Sample[] };
interface Pack {
  readonly id: string;
  readonly manifest: PackManifest;
  readonly checks: readonly Check[];
}

const ROOT = join(import.meta.dir, "../guardrails");
const PACKS = (await Promise.all([...new Glob("*/manifest.json").scanSync(ROOT)].sort().map(packIn))).flat();

/** Of a vendor is what calls a host that is named, or keeps accounts. */
async function packIn(file: string): Promise<readonly Pack[]> {
  const manifest = (await Bun.file(join(ROOT, file)).json()) as PackManifest; // the boot judges manifests
  const needs = manifest.needs ?? [];
  if (!needs.includes("credentials") && !needs.some((need) => /^net:(?!\*)/.test(need))) return [];
  const { default: plugin } = (await import(join(ROOT, manifest.id, "index.ts"))) as { default: Plugin<"guardrail"> };
  const { provides } = await plugin.setup({} as Parameters<typeof plugin.setup>[0], {}); // a pack's checks use their host when they run
  return [{ id: manifest.id, manifest, checks: (provides as GuardrailPack).checks }];
}
/** Asked without a key; or the key is in a signature, which a test of its own shows. */
const KEYLESS = ["partner_g.guard", "partner_g.harm", "partner_g.pii", "partner_f.guard"];
/** Another request each time, with a signature: a test of its own shows it. */
const NONCED = ["alibaba-cloud-ai.guard"];

const CHECKS = PACKS.flatMap(({ manifest, checks }) =>
  checks.map((check) => ({ id: check.id, check, samples: (manifest.samples ?? []).filter((sample) => sample.check === check.id) })),
);

test(verifies("G.partners.fixtures", "every pack of a vendor is tested by the kit, with its manifest"), async () => {
  expect(PACKS.length).toBeGreaterThan(20);
  for (const { id } of PACKS) expect(await Bun.file(join(ROOT, id, `${id}.test.ts`)).text()).toMatch(/^await testPack\(\w+, manifest\);$/m);
});

describe.each(CHECKS)("$id", ({ check, samples }) => {
  test(verifies("G.partners.fixtures", "shows what its vendor lets through, refuses and redacts"), () => {
    const shown = samples.map(({ verdict, becomes }) => (becomes === undefined ? verdict : "becomes"));
    const wanted = ["allow", ...(check.denies === false ? [] : ["deny"]), ...(check.transforms ? ["becomes"] : [])];
    expect([...new Set(shown)]).toEqual(expect.arrayContaining(wanted));
  });
  test(verifies("G.partners.fixtures", "shows each side that it judges"), () => {
    const usual = check.on.includes("input") ? "input" : "output";
    expect([...new Set(samples.map(({ side = usual }) => side))].sort()).toEqual([...check.on].sort());
  });
  if (NONCED.includes(check.id)) return;
  test(verifies("G.partners.fixtures", "shows a request byte by byte: address, key and body"), () => {
    const cases = samples.flatMap(({ vendor }): readonly VendorCase[] => (vendor === undefined ? [] : [vendor]));
    const whole = cases.filter(({ url, request }) => url !== undefined && request !== undefined);
    const keys = whole.map(({ headers = {} }) => Object.keys(headers).filter((name) => name !== "content-type"));
    expect(keys.filter((names) => names.length > 0 || KEYLESS.includes(check.id))).not.toEqual([]);
  });
});
