import type { TObject } from "@sinclair/typebox";
import { expect, test } from "bun:test";
import { type Check, GatewayError, type Json } from "#contract";
import type { Failure } from "../../core/pipeline/guard/types.ts";
import type { Example } from "./check.ts";
import { judgedExample } from "./judged-example.ts";
import { neverAnswers, type Vendor, vendorAnswer, type VendorAnswer } from "./vendor.ts";

/** Whatever goes wrong at the vendor's is an error of its class, never a pass and never a denial. */
export function testFailures(check: Check, usual: Example, vendor: Vendor): void {
  const failing: Readonly<Record<string, readonly [answers: VendorAnswer, failure: readonly Failure[]]>> = {
    "answers 500": [() => new Response("oops", { status: 500 }), ["unavailable"]],
    "answers 401": [() => Response.json({ error: "bad key" }, { status: 401 }), ["auth"]],
    "answers 429": [() => Response.json({}, { status: 429 }), ["unavailable"]],
    "answers what is not JSON": [() => new Response("<html>"), ["malformed"]],
    "answers JSON of another shape": [() => Response.json([1, 2]), ["malformed"]],
    "answers an empty object": [() => Response.json({}), ["malformed"]],
    [TOO_MUCH]: [() => Response.json({ filler: "x".repeat(1_100_000) }), ["malformed"]],
    "cannot be reached": [
      () => Promise.reject(new GatewayError("UPSTREAM_UNREACHABLE", { provider: "vendor", why: "connection refused" })),
      ["unavailable"],
    ],
    "does not answer in time": [neverAnswers, ["timeout"]],
  };
  for (const [name, [answers, failures]] of Object.entries(failing)) {
    if (usual.vendor?.unread && SAID.includes(name)) continue;
    if (!vendor.isVendors && name === TOO_MUCH) continue; // who calls what a caller chose bounds answers in its own way
    test(`is an error when the service ${name}`, async () => {
      vendor.answers(answers);
      const said = await judgedExample(check, usual, { timeoutMs: answers === neverAnswers ? 30 : 2_000 });
      expect([said.kind, said.message]).toEqual(["error", said.message]);
      const expected = vendor.isVendors ? [...failures, ...(check.dispatches ? OF_MODELS : [])] : ANY;
      expect([expected, said.message]).toEqual([expect.arrayContaining([said.failure]), said.message]);
    });
  }
}

/** Of a check that may call what a caller chose. */
const ANY: readonly Failure[] = ["auth", "unavailable", "malformed", "timeout", "config"];
/** What a client may bring about with its text, or by asking a model often, keeps the door shut. */
const OF_MODELS: readonly Failure[] = ["busy", "budget"];
const TOO_MUCH = "answers more than 1 MB";
/** Failures that are in what a good answer says. */
const SAID: readonly string[] = ["answers what is not JSON", "answers JSON of another shape", "answers an empty object"];

/** Nobody keeps an account: the door stays shut where the guardrail denies, and nobody is asked. */
export function testMissingAccount(check: Check, usual: Example, vendor: Vendor): void {
  test("is an error of class auth when nobody keeps credentials, and asks nobody", async () => {
    vendor.answers(() => vendorAnswer(usual.vendor)); // even a service that would let everybody in
    const before = vendor.requests.length;
    const { credentials: _, ...without } = usual;
    const said = await judgedExample(check, without);
    expect([said.kind, said.failure, vendor.requests.length]).toEqual(["error", "auth", before]);
  });
}

/** An account that is complete: what the schema requires, secrets by their names. */
export function accountOf(schema: TObject | undefined): Json {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.fromEntries(
    required.map((member) => [member, properties[member]?.["secret"] === true ? `secret-of-${member}` : `the-${member}`]),
  );
}

/** What a denying guardrail needs to hear to stay shut. */
export function testMissingSecret(check: Check, usual: Example, vendor: Vendor): void {
  test("is an error of class auth when its secret is missing", async () => {
    vendor.answers(() => vendorAnswer(usual.vendor)); // even a service that would let everybody in
    const said = await vendor.withoutSecrets(() => judgedExample(check, usual));
    expect([said.kind, said.failure]).toEqual(["error", "auth"]);
  });
}

/** Does it ask a service, though no example says what that one answers? The kit could not play it then. */
export async function asksUnseen(check: Check, example: Example, vendor: Vendor): Promise<boolean> {
  const before = vendor.requests.length;
  try {
    await judgedExample(check, example, { timeoutMs: 100 });
  } catch {
    return false; // what is wrong with the example is said by its own test
  }
  return vendor.requests.length > before;
}
export function testUnseen({ id }: Check): void {
  test(`${id} has examples that say what its service answers`, () => {
    throw new Error(`${id} asks a service; give its examples a member "vendor", such as { "body": … }: what that service answers.`);
  });
}
