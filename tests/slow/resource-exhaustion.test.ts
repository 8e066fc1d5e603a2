/** Texts, patterns and schemas made to be dear: nobody else waits for them, and none of them switches a guardrail off. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { nobodyWaits, type Probe, startProbe } from "./probing.ts";

let gateway: GatewayProcess;
let probe: Probe;
beforeAll(async () => {
  gateway = await startGateway();
  probe = await startProbe(gateway.base);
  await judged({ checks: [{ id: "default.regexMatch", parameters: { rule: "(warm)+up" } }], text: "x" });
});
afterAll(async () => {
  probe.close();
  await gateway.stop();
  gateway.remove();
});

/* ── what a guardrail says ───────────────────────────────────────────────────────────────────────────────────── */

interface Case {
  readonly checks: readonly { readonly id: string; readonly parameters: object }[];
  readonly text: string;
  readonly stream?: boolean;
  readonly side?: "input" | "output";
}
interface Shown {
  readonly verdict: boolean;
  readonly error: { readonly name: string; readonly message: string } | null;
}
interface ProbeAnswer {
  readonly status: number;
  readonly text: string;
  readonly checks: readonly Shown[];
}

const FEEDBACK = { feedback: { value: 1, weight: 1, metadata: "" } };
const saved = (checks: Case["checks"]) =>
  ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
    name: `G ${crypto.randomUUID()}`,
    checks,
    actions: { deny: true, async: false, on_success: FEEDBACK, on_fail: FEEDBACK },
  });

async function judged({ checks, text, stream = false, side = "input" }: Case): Promise<ProbeAnswer> {
  const made = await saved(checks);
  expect([made.status, made.status === 200 ? "" : made.text]).toEqual([200, ""]);
  const config = JSON.stringify({ provider: "sandbox", [`${side}_guardrails`]: [String(made.json["slug"])] });
  const answer = await chat(gateway, { stream, messages: [{ role: "user", content: text }] }, { "x-gateway-config": config });
  const results = (answer.json["hook_results"] ?? {}) as Readonly<Record<string, readonly { checks: readonly Shown[] }[]>>;
  const shown = Object.values(results).flatMap((list) => list.flatMap((result) => result.checks));
  return { status: answer.status, text: answer.text, checks: shown };
}

/* ── what the process takes ──────────────────────────────────────────────────────────────────────────────────── */

const rssMb = (pid: number | string): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
const childrenOf = (pid: number): string[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

/** Memory at its highest while something goes on. */
async function highest(during: Promise<unknown>): Promise<{ gateway: number; child: number; children: number }> {
  const most = { gateway: 0, child: 0, children: 0 };
  let over = false;
  void during.finally(() => {
    over = true;
  });
  while (!over) {
    const children = childrenOf(gateway.pid);
    most.children = Math.max(most.children, children.length);
    most.gateway = Math.max(most.gateway, rssMb(gateway.pid));
    for (const child of children)
      most.child = Math.max(
        most.child,
        safely(() => rssMb(child)),
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return most;
}
const safely = (read: () => number): number => {
  try {
    return read();
  } catch {
    return 0; // it has just ended
  }
};

/* ── the attacks ─────────────────────────────────────────────────────────────────────────────────────────────── */

const doubled = (levels: number) => {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: "string" } };
  for (let i = 0; i < levels; i += 1) $defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
  return { $defs, $ref: "#/$defs/d0" };
};
const schema = (is: object): Case["checks"] => [{ id: "default.jsonSchema", parameters: { schema: is } }];
const rules = (...list: readonly string[]): Case["checks"] =>
  list.map((rule) => ({ id: "default.regexMatch", parameters: { rule, not: true } }));
const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const REDOS = [
  "(a+)+$",
  "([a-zA-Z]+)*$",
  "(a|aa)+$",
  "(a|a?)+$",
  "(.*a){20}$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(x+x+)+y",
  "(?:a?){60}a{60}b",
];

/** Verdicts that are right for a text that is too much: it was refused for its budget or its place, or it was judged after all. */
const TOO_MUCH = /^(Budget|Busy) error$/;
const closedOrJudged = ({ status, checks }: ProbeAnswer): void => {
  expect([200, 446]).toContain(status);
  for (const { error } of checks) if (error) expect(error.name).toMatch(TOO_MUCH);
  if (checks.some(({ error }) => error)) expect(status).toBe(446);
};
const budget = ({ status, checks }: ProbeAnswer): void => {
  expect([status, checks.map(({ error }) => error?.name)]).toEqual([446, ["Budget error"]]);
};
const passed = ({ status, checks }: ProbeAnswer): void => {
  expect([status, checks.filter(({ verdict }) => !verdict)]).toEqual([200, []]);
};

const ATTACKS: readonly [name: string, attack: Case, expected: (said: ProbeAnswer) => void][] = [
  ["a schema of 1.4 KB whose references double", { checks: schema(doubled(24)), text: "[1]" }, budget],
  [
    "unique items over 100,000 objects",
    { checks: schema({ uniqueItems: true }), text: JSON.stringify(repeat(100_000, (i) => ({ i }))) },
    budget,
  ],
  [
    "a schema that goes round in circles, on a text that nests deep",
    {
      checks: schema({ $defs: { n: { items: { $ref: "#/$defs/n" } } }, $ref: "#/$defs/n" }),
      text: `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    },
    budget,
  ],
  [
    "an enumeration of 5,000 objects, against 5,000",
    { checks: schema({ items: { enum: repeat(5_000, (i) => ({ i })) } }), text: JSON.stringify(repeat(5_000, () => ({ i: 4_999 }))) },
    closedOrJudged,
  ],
  [
    "a large pattern inside a schema",
    { checks: schema({ items: { pattern: "(?:a?){500}a{500}b" } }), text: JSON.stringify(repeat(20, () => "a".repeat(50_000))) },
    closedOrJudged,
  ],
  [
    "twenty patterns over 1.9 MB",
    { checks: rules(...repeat(20, (i) => `(?i)(foo|bar|baz)+q${i}`)), text: "fo".repeat(950_000) },
    closedOrJudged,
  ],
  ["patterns that hang other engines", { checks: rules(...REDOS), text: `${"a".repeat(100_000)}!` }, closedOrJudged],
  ["a counted repetition of thousands", { checks: rules("(?:a?){1000}a{1000}b"), text: "a".repeat(500_000) }, closedOrJudged],
  ["a plain pattern of counted characters", { checks: rules(`${"a{99}".repeat(300)}b`), text: "a".repeat(1_500_000) }, closedOrJudged],
  [
    "forty checks just below what is cheap",
    { checks: repeat(40, () => ({ id: "default.wordCount", parameters: { minWords: 1 } })), text: "word ".repeat(19_600) },
    closedOrJudged,
  ],
  [
    "ten thousand words over 1 MB",
    {
      checks: [{ id: "default.contains", parameters: { words: repeat(10_000, (i) => `${"a".repeat(20)}${i}`), operator: "none" } }],
      text: "a".repeat(1_000_000),
    },
    closedOrJudged,
  ],
  [
    "a thousand keys in half a million objects",
    { checks: [{ id: "default.jsonKeys", parameters: { keys: repeat(1_000, (i) => `k${i}`) } }], text: "{}".repeat(500_000) },
    budget,
  ],
  [
    "a million fences",
    { checks: [{ id: "default.containsCode", parameters: { format: "SQL" } }], text: "```a ```".repeat(250_000) },
    closedOrJudged,
  ],
  [
    "a hundred cheap checks",
    { checks: repeat(100, () => ({ id: "default.characterCount", parameters: { minCharacters: 1 } })), text: "hello" },
    passed,
  ],
  [
    "results of megabytes",
    { checks: repeat(20, () => ({ id: "default.regexMatch", parameters: { rule: "((((.*))))" } })), text: "a".repeat(300_000) },
    closedOrJudged,
  ],
  ["an answer of 1 MB", { checks: rules("(?i)(foo|bar|baz)+q"), text: "fo".repeat(500_000), side: "output" }, closedOrJudged],
  [
    "a streamed answer of 1 MB",
    { checks: rules("(?i)(foo|bar|baz)+q"), text: "fo ".repeat(300_000), side: "output", stream: true },
    closedOrJudged,
  ],
];

describe("nobody waits for", () => {
  test.each(ATTACKS)("%s", async (_, attack, expected) => nobodyWaits(probe, () => judged(attack), expected), 60_000);

  test.each([
    ["references that double, when they are saved", schema(doubled(40))],
    ["a pattern of a million instructions", rules("\\d{1000}".repeat(1_200))],
    ["a pattern of classes of all of Unicode", rules(`(?i)${"[^a-z\\p{L}]".repeat(850)}`)],
    [
      "a schema of a thousand members",
      schema({
        properties: Object.fromEntries(repeat(1_000, (i) => [`p${i}`, { type: "object", properties: { a: { pattern: `(a+)+${i}` } } }])),
      }),
    ],
    [
      "parameters that are wrong in a hundred thousand places",
      [{ id: "default.contains", parameters: { words: repeat(100_000, (i) => i) } }],
    ],
  ])(
    "%s",
    async (_, checks) => {
      const check = ({ status }: { readonly status: number }): void => expect([200, 400]).toContain(status);
      await nobodyWaits(probe, () => saved(checks), check);
    },
    60_000,
  );

  test("a hundred dear requests at once, which are judged or refused; a cheap one is answered meanwhile", async () => {
    const made = await saved(schema(doubled(24)));
    const config = JSON.stringify({ provider: "sandbox", input_guardrails: [String(made.json["slug"])] });
    const one = () => chat(gateway, { messages: [{ role: "user", content: "[1]" }] }, { "x-gateway-config": config });
    await nobodyWaits(
      probe,
      async () => {
        const dear = repeat(100, one);
        const cheap = await judged({ checks: [{ id: "default.wordCount", parameters: {} }], text: "hello there" });
        return { cheap, dear: await Promise.all(dear) };
      },
      ({ cheap, dear }) => {
        passed(cheap);
        for (const { status } of dear) expect(status).toBe(446);
      },
    );
  }, 120_000);
});

test("memory stays bounded, processes are stopped and replaced, and none is left when there is nothing to do", async () => {
  const before = childrenOf(gateway.pid);
  const most = await highest(
    Promise.all(
      repeat(6, async (i) =>
        judged({
          checks: i % 2 === 0 ? schema(doubled(24)) : schema({ uniqueItems: true }),
          text: JSON.stringify(repeat(20_000, (n) => ({ n }))),
        }),
      ),
    ),
  );
  expect(most.children).toBeLessThanOrEqual(2 + 1); // one may be on its way out
  expect(most.child).toBeLessThan(3 * 256); // what it takes between two looks of a busy gateway
  expect(most.gateway).toBeLessThan(700);
  passed(await judged({ checks: schema({ type: "array" }), text: "[1]" }));
  expect(childrenOf(gateway.pid).some((pid) => !before.includes(pid))).toBe(true);
}, 120_000);

test("a gateway that is killed takes its processes along, even one in a job that never ends", async () => {
  const own = await startGateway({ env: { GATEWAY_CHECK_DEADLINE_MS: "60000", GATEWAY_CHECK_MEMORY_MB: "4096" } });
  const config = JSON.stringify({
    provider: "sandbox",
    input_guardrails: [{ "default.jsonSchema": { schema: { uniqueItems: true } }, deny: true }],
  });
  const text = JSON.stringify(repeat(300_000, (i) => ({ i })));
  const never = chat(own, { messages: [{ role: "user", content: text }] }, { "x-gateway-config": config }).catch(() => "cut");
  const [pid] = await until("it works", () => (childrenOf(own.pid).length > 0 ? childrenOf(own.pid) : undefined));
  await until("it is inside", () => cpuTicks(pid ?? "") > 100, 20_000);
  await own.stop("SIGKILL");
  expect(await never).toBe("cut");
  await until("its process is gone", () => safely(() => rssMb(pid ?? "")) === 0, 10_000);
  own.remove();
}, 60_000);
const cpuTicks = (pid: string): number => Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[11]);
