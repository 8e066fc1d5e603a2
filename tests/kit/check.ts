import { mayCall } from "../../core/kernel/host.ts";
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { Check, CheckInput, GuardrailPack, Handles, Manifest, Plugin, Side, Verdict } from "#contract";
import { GatewayError, type Json } from "#contract";
import { nothingSpent } from "../../core/compute/allowance.ts";
import { firstProblem } from "../../core/json/shape.ts";
import { runCheck } from "../../core/pipeline/guard/run.ts";
import { Subject } from "../../core/pipeline/guard/subject.ts";
import type { CheckOutcome } from "../../core/pipeline/guard/types.ts";
import { callOf } from "./call.ts";
import { bound, problemsOf, quietDeps } from "./bound-check.ts";

/** One input of a check with its expected verdict; `samples` of a guardrail manifest are these, with the check's id. */
export interface Example {
  readonly text: string;
  readonly params?: Json;
  readonly verdict: Verdict["verdict"];
  /** Members the result's data must have. */
  readonly data?: Json;
  readonly metadata?: Readonly<Record<string, string>>;
  /** What the service behind a remote check is asked and answers. */
  readonly vendor?: VendorCase;
}
export interface VendorCase {
  /** The exact request that is expected. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly request?: string;
  readonly status?: number;
  readonly body: unknown;
}
export type Sample = Example & { readonly check: string };

/** What the kit must know of a check besides the check: its manifest, and the service that stands behind it. */
export interface CheckKit {
  readonly manifest?: Pick<Manifest, "id" | "provides" | "needs">;
  readonly vendor?: Vendor;
}

/* ── the kit ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/** Conformance of one check, and its examples. */
export function testCheck(check: Check, examples: readonly Example[], { manifest, vendor }: CheckKit = {}): void {
  const usual = examples.find(({ verdict }) => verdict !== "error") ?? examples[0];
  if (usual === undefined) throw new Error(`${check.id} needs at least one example`);
  const judge = (example: Example, more: Partial<Doing> = {}): Promise<CheckOutcome> => {
    if (example.vendor) vendor?.answers(() => answer(example.vendor));
    return judged(check, example, more);
  };

  describe(check.id, () => {
    test("is named after its pack and listed in its manifest", () => {
      expect(check.id).toMatch(/^[a-z][a-z0-9_-]*\.[A-Za-z][A-Za-z0-9_]*$/);
      if (manifest) expect(manifest.provides ?? []).toContain(check.id);
      if (manifest) expect(check.id).toStartWith(`${manifest.id}.`);
    });
    test("describes every parameter and has defaults that are legal", () => {
      for (const [name, schema] of Object.entries<Json>(check.params["properties"] ?? {}))
        expect([name, typeof schema["description"]]).toEqual([name, "string"]);
      expect(problemsOf(check, usual.params ?? {})).toEqual([]);
    });
    for (const [index, example] of examples.entries()) {
      test(`example ${index + 1}: ${JSON.stringify(example.text.slice(0, 40))} is ${example.verdict}`, async () => {
        const said = await judge(example);
        expect([said.kind, said.kind === example.verdict ? null : said.message]).toEqual([example.verdict, null]);
        if (example.data) expect(said.data).toMatchObject(example.data);
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
      vendor?.answers(never);
      const stop = new AbortController();
      const before = vendor?.requests.length ?? 0;
      const running = judged(check, usual, { signal: stop.signal });
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
        const alone = { params, side, text: usual.text, now: Date.now() } as CheckInput<never>;
        const said = await judge(usual);
        expect(await check.run(alone)).toMatchObject({ verdict: said.kind, ...(said.data !== undefined && { data: said.data }) });
      });
    if (!check.transforms) test("does not transform", async () => expect((await judge(usual)).kind).not.toBe("transform"));
    if (vendor) testFailures(check, usual, vendor);
    if (vendor?.holdsSecrets) testMissingSecret(check, usual, vendor);
  });
}

/** Whatever goes wrong at the vendor's is an error, never a pass and never a denial. */
function testFailures(check: Check, usual: Example, vendor: Vendor): void {
  const failing: Readonly<Record<string, VendorAnswer>> = {
    "answers 500": () => new Response("oops", { status: 500 }),
    "answers 401": () => Response.json({ error: "bad key" }, { status: 401 }),
    "answers 429": () => Response.json({}, { status: 429 }),
    "answers what is not JSON": () => new Response("<html>"),
    "answers JSON of another shape": () => Response.json([1, 2]),
    "answers an empty object": () => Response.json({}),
    "cannot be reached": () => Promise.reject(new GatewayError("UPSTREAM_UNREACHABLE", { provider: "vendor", why: "connection refused" })),
    "does not answer in time": never,
  };
  for (const [name, answers] of Object.entries(failing)) {
    test(`is an error when the service ${name}`, async () => {
      vendor.answers(answers);
      const said = await judged(check, usual, { timeoutMs: answers === never ? 30 : 2_000 });
      expect(said.kind).toBe("error");
      if (answers === never) expect(said.failure).toBe("timeout");
      if (name === "answers 401" || name === "cannot be reached") expect([said.failure, said.message]).not.toEqual(["crash", said.message]);
    });
  }
}

/** What a denying guardrail needs to hear to stay shut. */
function testMissingSecret(check: Check, usual: Example, vendor: Vendor): void {
  test("is an error of class auth when its secret is missing", async () => {
    vendor.answers(() => answer(usual.vendor)); // even a service that would let everybody in
    const said = await vendor.withoutSecrets(() => judged(check, usual));
    expect([said.kind, said.failure]).toEqual(["error", "auth"]);
  });
}

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
  test(`${manifest.id} provides what its manifest lists, and has a sample`, () => {
    expect((provides as GuardrailPack).checks.map(({ id }) => id).sort()).toEqual([...(manifest.provides ?? [])].sort());
    expect(samples.length).toBeGreaterThan(0);
    for (const { check } of samples) expect(manifest.provides ?? []).toContain(check);
  });
  for (const check of (provides as GuardrailPack).checks) {
    const own = [...samples.filter((sample) => sample.check === check.id), ...(examples[check.id] ?? [])];
    testCheck(check, own, { manifest, ...(own.some((example) => example.vendor) && { vendor }) });
  }
}

/* ── a service behind a check ────────────────────────────────────────────────────────────────────────────────── */

type VendorAnswer = (url: string, init: RequestInit) => Response | Promise<Response>;
/** Answers when it is aborted, and only then. */
const never: VendorAnswer = (_, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
const answer = (of: VendorCase | undefined): Response => Response.json(of?.body ?? {}, { status: of?.status ?? 200 });

/** Stands in for the egress client: keeps what was asked, answers as told, refuses hosts the manifest does not name. */
export class Vendor {
  readonly requests: { readonly url: string; readonly headers: Headers; readonly body: string }[] = [];
  lastSignal: AbortSignal | undefined;
  private respond: VendorAnswer = never;
  private waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private empty = false;

  constructor(
    private readonly needs: readonly string[],
    private readonly config: Json = {},
  ) {}

  get holdsSecrets(): boolean {
    return this.needs.some((need) => need.startsWith("secret:"));
  }
  /** Every secret is missing meanwhile, as the kernel would say it. */
  async withoutSecrets<T>(work: () => Promise<T>): Promise<T> {
    this.empty = true;
    try {
      return await work();
    } finally {
      this.empty = false;
    }
  }

  answers(respond: VendorAnswer): void {
    this.respond = respond;
  }
  /** Resolves when so many requests have arrived. */
  asked(count: number): Promise<void> {
    return this.requests.length >= count ? Promise.resolve() : new Promise((resolve) => this.waiting.push({ count, resolve }));
  }
  expectRequest({ url, headers, request }: VendorCase): void {
    const last = this.requests.at(-1);
    if (url !== undefined) expect(last?.url).toBe(url);
    if (request !== undefined) expect(last?.body).toBe(request);
    for (const [name, value] of Object.entries(headers ?? {})) expect([name, last?.headers.get(name)]).toEqual([name, value]);
  }
  /** What `setup` receives. */
  get host(): Pick<Handles, "fetch" | "secrets"> & { log(): void; now(): number } {
    return {
      fetch: (url, init) => this.fetch(String(url), init ?? {}),
      secrets: {
        read: async (name) => {
          if (!this.empty && this.needs.includes(`secret:${name}`)) return `secret-of-${name}`;
          throw new GatewayError("SECRET_MISSING", { plugin: "guardrail/kit", secret: name, why: "set it" });
        },
      },
      log: () => undefined,
      now: () => 1_700_000_000_000,
    };
  }
  private async fetch(url: string, init: RequestInit): Promise<Response> {
    const target = new URL(url);
    if (!mayCall({ needs: [...this.needs] }, this.config, target))
      throw new GatewayError("HOST_NOT_DECLARED", { plugin: "guardrail/kit", host: target.host });
    this.requests.push({ url, headers: new Headers(init.headers), body: String(init.body) });
    this.lastSignal = init.signal ?? undefined;
    this.waiting = this.waiting.filter(({ count, resolve }) => count > this.requests.length || resolve());
    return this.respond(url, init);
  }
}

/* ── running one check as the engine does ────────────────────────────────────────────────────────────────────── */

interface Doing {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function judged(
  check: Check,
  { text, params, metadata }: Example,
  { timeoutMs, signal }: Partial<Doing> = {},
): Promise<CheckOutcome> {
  const side: Side = check.on.includes("input") ? "input" : "output";
  const call = callOf(askedBody(text), signal === undefined ? {} : { signal });
  const body =
    side === "input" ? askedBody(text) : { choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }] };
  const subject = new Subject(side, body, {
    call,
    headers: quietDeps.headers,
    view: { provider: "kit", model: "kit-model", metadata: metadata ?? {}, spending: nothingSpent(), tenant: "tenant" },
    status: side === "input" ? null : 200,
  });
  return runCheck(bound(check, params, timeoutMs === undefined ? {} : { timeoutMs }), subject, quietDeps);
}
const askedBody = (text: string): Json => ({ model: "kit-model", messages: [{ role: "user", content: text }] });

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
