import type { TObject } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { Check, CheckInput, GuardrailPack, Json, Manifest, Patch, Plugin, Segment, Side, Verdict } from "#contract";
import { undescribed } from "../../core/build/schema-table.ts";
import { firstProblem } from "../../core/json/shape.ts";
import { checkContract, parseManifests } from "../../core/kernel/discovery/manifest.ts";
import { undeclaredNeeds } from "../../core/kernel/host.ts";
import { bound, problemsOf } from "./bound-check.ts";
import { accountOf, asksUnseen, testFailures, testMissingAccount, testMissingSecret, testUnseen } from "./check-failures.ts";
import { testLongTexts, testPlaces } from "./check-places.ts";
import { wrongWith } from "./example-case.ts";
import { judgedExample, type JudgedExample, type Running } from "./judged-example.ts";
import { neverAnswers, Vendor, vendorAnswer, type VendorCase } from "./vendor.ts";

/** One input of a check with its expected verdict; `samples` of a guardrail manifest are these, with the check's id. */
export interface Example {
  readonly text: string;
  readonly params?: Json;
  readonly verdict: Verdict["verdict"];
  /** Members the result's data must have. */
  readonly data?: Json;
  /** The text that the rest of the request sees, where the verdict is `transform`; or its whole body, as JSON. */
  readonly becomes?: string;
  /** Default: the input, where the check runs there. */
  readonly side?: Side;
  /** What was asked, where the text is an answer. */
  readonly question?: string;
  /** The account with the vendor; default: what the pack's credentials require, each secret `secret-of-<member>`. */
  readonly credentials?: Json;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the service behind a remote check is asked and answers. */
  readonly vendor?: VendorCase | undefined;
}
export type Sample = Example & { readonly check: string };

/** What the kit must know of a check besides the check: its manifest, and the service that stands behind it. */
export interface CheckKit {
  readonly manifest?: Pick<Manifest, "id" | "provides" | "needs">;
  readonly vendor?: Vendor;
  /** What an account with the vendor consists of. */
  readonly credentials?: TObject | undefined;
}

/* ── the kit ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/** Conformance of one check, and its examples. */
export function testCheck(check: Check, examples: readonly Example[], { manifest, vendor, credentials }: CheckKit = {}): void {
  const usual = examples.find(({ verdict }) => verdict !== "error") ?? examples[0];
  if (usual === undefined) throw new Error(`${check.id} needs at least one example`);
  const account = accountOf(credentials);
  const judge = (example: Example, more: Partial<Running> = {}): Promise<JudgedExample> => {
    if (example.vendor) vendor?.answers(() => vendorAnswer(example.vendor));
    return judgedExample(check, { credentials: account, ...example }, more);
  };

  describe(check.id, () => {
    test("is named after its pack and listed in its manifest", () => {
      expect(check.id).toMatch(/^[a-z][a-z0-9_-]*\.[A-Za-z][A-Za-z0-9_]*$/);
      if (manifest) expect(manifest.provides ?? []).toContain(check.id);
      if (manifest) expect(check.id).toStartWith(`${manifest.id}.`);
    });
    test("describes every parameter and has defaults that are legal", () => {
      expect(undescribed(check.params), "members of its parameters without a description, which the reference page needs").toEqual([]);
      expect(problemsOf(check, usual.params ?? {})).toEqual([]);
    });
    for (const [index, example] of examples.entries()) {
      test(`example ${index + 1}: ${JSON.stringify(example.text.slice(0, 40))} is ${example.verdict}`, async () => {
        const said = await judge(example);
        expect([said.kind, said.kind === example.verdict ? null : said.message]).toEqual([example.verdict, null]);
        if (example.data) expect(said.data).toMatchObject(example.data);
        if (example.becomes !== undefined) expect(said.patches.map(becomeOf)).toEqual([example.becomes]);
        if (example.vendor) vendor?.expectRequest(example.vendor);
      });
    }
    for (const [name, text] of Object.entries(HARD_TEXTS)) {
      test(`survives ${name}`, async () => {
        const startedAt = performance.now();
        const said = await judge({ ...usual, text });
        expect([said.failure, said.message]).not.toEqual(["crash", said.message]); // with what it says of its crash
        expect([said.failure, said.message]).not.toEqual(["timeout", said.message]);
        expect(performance.now() - startedAt).toBeLessThan(4_000);
      });
    }
    test("judges the same input in the same way", async () => {
      const [first, second] = [await judge(usual), await judge(usual)];
      expect([second.kind, second.data, second.patches]).toEqual([first.kind, first.data, first.patches]);
    });
    test("stops when it is aborted", async () => {
      vendor?.answers(neverAnswers);
      const stop = new AbortController();
      const before = vendor?.requests.length ?? 0;
      const running = judge({ ...usual, ...UNANSWERED }, { signal: stop.signal });
      await vendor?.asked(before + 1);
      const startedAt = performance.now();
      stop.abort();
      await running;
      expect(performance.now() - startedAt).toBeLessThan(STOPPED_MS);
      if (vendor) expect(vendor.lastSignal?.aborted).toBe(true);
    });
    if (check.cost !== undefined)
      test("says what it costs, and judges the same by its parameters, side, text and clock alone", async () => {
        const { params } = bound(check, usual.params ?? {});
        const costs = [0, usual.text.length, 1_000_000].map((chars) => check.cost?.(params as never, chars) ?? Number.NaN);
        expect(costs.every((cost, i) => cost >= (costs[i - 1] ?? 0))).toBe(true);
        const side: Side = check.on.includes("input") ? "input" : "output";
        const segments: readonly Segment[] = [{ path: "messages[0].content", role: "user", kind: "text", text: usual.text }];
        const alone = { params, side, text: usual.text, now: Date.now(), ...(check.transforms && { segments }) } as CheckInput<never>;
        const said = await judge(usual);
        expect(await check.run(alone)).toMatchObject({ verdict: said.kind, ...(said.data !== undefined && { data: said.data }) });
      });
    if (check.denies === false) test("does not deny", async () => expect((await judge(usual)).kind).not.toBe("deny"));
    if (!check.transforms) test("does not transform", async () => expect((await judge(usual)).kind).not.toBe("transform"));
    const complete = examples.map((example) => ({ credentials: account, ...example }));
    testPlaces(check, complete, vendor);
    testLongTexts(check, { credentials: account, ...usual }, vendor);
    if (!vendor) return;
    testFailures(check, { credentials: account, ...usual }, vendor);
    if (credentials) testMissingAccount(check, usual, vendor);
    if (!credentials && vendor.holdsSecrets) testMissingSecret(check, usual, vendor);
    if (vendor.isVendors)
      test("has an example of what it lets through, of what it refuses, and of what it makes of a text", () => {
        const verdicts = examples.map(({ verdict, becomes }) => (becomes === undefined ? verdict : "becomes"));
        const denied = check.denies === false ? [] : ["deny"];
        expect(verdicts).toEqual(expect.arrayContaining(["allow", ...denied, ...(check.transforms ? ["becomes"] : [])]));
      });
    test("judges an answer that comes late, within its time, like one that comes at once", async () => {
      const atOnce = await judge(usual);
      vendor.answers(async () => {
        for (let turn = 0; turn < LATE_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        return vendorAnswer(usual.vendor);
      });
      const late = await judge({ ...usual, ...UNANSWERED });
      expect([late.kind, late.data]).toEqual([atOnce.kind, atOnce.data]);
    });
  });
}
const becomeOf = (patch: Patch): string | false => ("text" in patch ? patch.text : "body" in patch && JSON.stringify(patch.body));
/** Turns of the event loop: later than anything a check would not wait for. */
const LATE_TURNS = 50;
/** The example as it stands, without changing what the vendor answers. */
const UNANSWERED = { vendor: undefined } as const;

/**
 * Sets a pack up with a host of its own, runs the kit for all its checks with the manifest's samples as examples. `given`
 * is its configuration, judged and filled with defaults as a start does it.
 */
export async function testPack(
  plugin: Plugin<"guardrail">,
  manifest: Pick<Manifest, "id" | "provides" | "needs"> & { readonly samples?: readonly Json[] },
  examples: Readonly<Record<string, readonly Example[]>> = {},
  given: Json = {},
): Promise<void> {
  const config = Value.Default(plugin.config, structuredClone(given)) as Json; // judged by the next lines
  const vendor = new Vendor(manifest.needs ?? [], config);
  const problem = firstProblem(plugin.config, config);
  if (problem) throw new Error(`The configuration of ${manifest.id} is not valid: ${problem.path}: ${problem.why}. Give one to testPack.`);
  const { provides } = await plugin.setup(vendor.host as unknown as Parameters<typeof plugin.setup>[0], config); // a pack's checks need no other handles
  const samples = (manifest.samples ?? []) as readonly unknown[] as readonly Sample[]; // the kit of the kind says what a sample is
  const numbers = new Map<unknown, number>();
  for (const sample of samples) {
    const number = (numbers.get(sample.check) ?? 0) + 1;
    numbers.set(sample.check, number);
    const wrong = wrongWith(sample);
    if (wrong !== undefined) throw new Error(`${sample.check}: sample ${number} of the manifest: ${wrong}`);
  }
  test(`${manifest.id} provides what its manifest lists, and has a sample`, () => {
    expect((provides as GuardrailPack).checks.map(({ id }) => id).sort()).toEqual([...(manifest.provides ?? [])].sort());
    expect(samples.length).toBeGreaterThan(0);
    for (const { check } of samples) expect(manifest.provides ?? []).toContain(check);
  });
  test(`${manifest.id} has a manifest that a gateway takes`, () => {
    for (const judgedManifest of parseManifests(manifest, "manifest.json")) checkContract(judgedManifest);
    expect(undeclaredNeeds(manifest as Manifest, plugin.needs)).toEqual([]); // judged by the line before
  });
  for (const check of (provides as GuardrailPack).checks) {
    const own = [...samples.filter((sample) => sample.check === check.id), ...(examples[check.id] ?? [])];
    const isRemote = own.some((example) => example.vendor);
    const { credentials } = provides as GuardrailPack;
    if (!isRemote && own[0] && (await asksUnseen(check, own[0], vendor))) testUnseen(check);
    else testCheck(check, own, { manifest, credentials, ...(isRemote && { vendor }) });
  }
}

/** Who does not hear of its end waits for the vendor, which never answers, for seconds: a busy machine's delay is none. */
const STOPPED_MS = 1_000;

const HARD_TEXTS: Readonly<Record<string, string>> = {
  "an empty text": "",
  "a NUL character": "a\u0000b",
  "a lone surrogate": "a\ud83d b",
  "200 kB of emoji": "😀".repeat(50_000),
  "200 kB of one letter": "a".repeat(200_000),
  "200 kB of open braces": "{".repeat(200_000),
  "200 kB of quotes and fences": '```"{'.repeat(40_000),
};
