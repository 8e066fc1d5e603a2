import { describe, expect, test } from "bun:test";
import { type Branch, GatewayError, type Json, type Strategy, type TargetNode, type Tried } from "#contract";
import { expectDescribed, partsOf } from "./config.ts";
import { leafOf, oddOutcomes, planOf } from "./outcome.ts";
import { frozen, forAll, type PluginCase } from "./set-up.ts";
import { CALLERS } from "./tenants.ts";
import { callOf } from "./call.ts";

/** A strategy that goes on trying longer than this never ends. */
const MAX_TRIALS = 100;
const ODD_KEYS = ["", " ", "\u0000", "a".repeat(10_000), "ключ", "../../etc/passwd", "__proto__", "e30.e30.e30", "' OR 1=1 --"];
const ODD_SETTINGS: readonly Json[] = [
  {},
  { on_status_codes: [] },
  { on_status_codes: "429" },
  { on_status_codes: null },
  { default: 7, conditions: "x" },
];
const ANSWERS: readonly Tried[] = [200, 246, 400, 429, 446, 500, 503].flatMap((status) => [
  { status, gatewayMade: false },
  { status, gatewayMade: true },
]);

/** Conformance of a policy: what every one must satisfy, whichever hooks it has. */
export function testPolicy(given: PluginCase<"policy">): void {
  const { manifest } = given;
  describe(`policy ${manifest.id}`, () => {
    const at = forAll(given);

    test("has at least one hook", () => {
      const { identify, authorize, admit, strategies, settle } = at().provides;
      expect([identify, authorize, admit, strategies, settle].filter((hook) => hook !== undefined)).not.toBeEmpty();
    });
    test("provides the strategy modes that its manifest lists", () => {
      expect(Object.keys(at().provides.strategies ?? {}).sort()).toEqual([...(manifest.provides ?? [])].sort());
    });
    test("describes the members of configs that it obeys", () => {
      const { strategies = {}, obeys } = at().provides;
      expectDescribed(...Object.values(strategies).map(({ settings }) => settings.properties), ...partsOf(obeys));
    });
    for (const mode of manifest.provides ?? []) {
      describe(`strategy ${mode}`, () => testStrategy(() => at().provides.strategies?.[mode] ?? expect.unreachable()));
    }
    test("takes no odd key for a known one", async () => {
      const { identify } = at().provides;
      for (const key of identify ? ODD_KEYS : []) {
        const headers = new Headers();
        expect(await outcomeOf(() => identify?.({ key, headers, now: at().clock.now }))).toMatch(/^(undefined|401|403|503)$/);
      }
    });
    test("admits or refuses, and fails in no other way", async () => {
      const { admit } = at().provides;
      const admitted = await outcomeOf(() => admit?.(callOf({ model: "m" }), CALLERS.workspace, planOf()));
      expect(admitted).toMatch(/^(undefined|4\d\d|503)$/);
    });
    test("settles whatever came of a request, and changes nothing of it", async () => {
      for (const outcome of oddOutcomes()) await at().provides.settle?.(Object.freeze(outcome));
    });
  });
}

/** `undefined` when nothing came of it, the status of an error of the gateway's, or what it gave. */
async function outcomeOf(work: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await work()) ?? "undefined";
  } catch (thrown) {
    if (GatewayError.is(thrown)) return String(thrown.status);
    throw thrown;
  }
}

function testStrategy(strategy: () => Strategy): void {
  test("tries its own targets only, and comes to an end", async () => {
    for (const count of [0, 1, 2, 5]) {
      for (const answer of ANSWERS) {
        const node = branch(count);
        const tried = await trials(strategy(), node, () => answer);
        expect(tried.length).toBeLessThan(MAX_TRIALS);
        for (const target of tried) expect(node.targets).toContain(target);
      }
    }
  });
  test("tries something when there is something", async () => {
    for (const count of [1, 3])
      expect((await trials(strategy(), branch(count), () => ({ status: 200, gatewayMade: false }))).length).toBeGreaterThan(0);
  });
  test("survives settings it does not know, and targets without weight", async () => {
    for (const settings of ODD_SETTINGS) await trials(strategy(), branch(2, settings), () => ({ status: 500, gatewayMade: false }));
    await trials(strategy(), branch(2, {}, 0), () => ({ status: 500, gatewayMade: false }));
  });
  test("keeps nothing from one request to the next that would make two at once disturb each other", async () => {
    const [one, other] = [branch(3), branch(3)];
    const both = await Promise.all([
      trials(strategy(), one, () => ({ status: 500, gatewayMade: false })),
      trials(strategy(), other, () => ({ status: 500, gatewayMade: false })),
    ]);
    both.forEach((tried, index) => {
      for (const target of tried) expect((index === 0 ? one : other).targets).toContain(target);
    });
  });
}

const branch = (count: number, settings: Json = {}, weight = 1): Branch =>
  frozen({
    kind: "branch",
    path: "config",
    name: null,
    weight: 1,
    members: {},
    mode: "kit",
    settings,
    targets: Array.from({ length: count }, (_, index) => leafOf({ path: `config.targets[${index}]`, name: `t${index}`, weight })),
  });

/** The targets a strategy tries when they answer like this. */
export async function trials(
  strategy: Strategy,
  node: Branch,
  answer: (target: TargetNode, nth: number) => Tried,
): Promise<readonly TargetNode[]> {
  const trial = strategy.try(node, callOf({ model: "m" }), planOf(node));
  const tried: TargetNode[] = [];
  for (let step = await trial.next(); !step.done && tried.length < MAX_TRIALS; step = await trial.next(answer(step.value, tried.length)))
    tried.push(step.value);
  return tried;
}
