/** The parameters of third-party checks, against the tables of the specification and of the vendors. */
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { expect, test } from "bun:test";
import type { Check, GuardrailPack, Json, Plugin } from "#contract";
import { verifies } from "./requirements/verifies.ts";

async function checkOf(id: string): Promise<Check> {
  const [pack = ""] = id.split(".");
  const { default: plugin } = (await import(join(import.meta.dir, `../guardrails/${pack}/index.ts`))) as { default: Plugin<"guardrail"> };
  const { provides } = await plugin.setup({} as Parameters<typeof plugin.setup>[0], {}); // a pack's checks use their host when they run
  const check = (provides as GuardrailPack).checks.find((made) => made.id === id);
  if (!check) throw new Error(`there is no check ${id}`);
  return check;
}

const HALF = { prompt_injection_threshold: 0.5, toxic_threshold: 0.5, jail_break_threshold: 0.5, malicious_url_threshold: 0.5 };
const DETECTORS = { prompt_injection: true, toxic: true, jail_break: true, malicious_url: true, biased: true, harmful: true };
const FOUND = { language: true, language_values: "english", pii: true, pii_redact: false, secrets: true, secrets_redact: false };
const JUDGES = [
  "isConcise",
  "isHelpful",
  "isPolite",
  "noApologies",
  "noGenderBias",
  "noRacialBias",
  "retrievalAnswerRelevance",
  "toxicity",
];
const SETS: readonly (readonly [id: string, on: Check["on"], given: Json, filled: Json])[] = [
  [
    "partner_a.sydeguard",
    ["input", "output"],
    {},
    { prompt_injection_threshold: 0.5, toxicity_threshold: 0.5, evasion_threshold: 0.5, timeout: 5000 },
  ],
  ["partner_b.validateProject", ["input", "output"], { projectID: "p" }, { timeout: 5000 }],
  ["partner_c.scanPrompt", ["input"], { scanners: ["pii"] }, { timeout: 5000 }],
  ["partner_c.scanResponse", ["output"], { scanners: ["pii"] }, { timeout: 5000 }],
  ...["phi", "pii", ...JUDGES].map((name) => [`partner_d.${name}`, ["output"], {}, { redact: false, timeout: 5000 }] as const),
  ["partner_d.custom", ["output"], { profile: "judge:x" }, { timeout: 15_000 }],
  ["partner_e.moderateContent", ["input", "output"], { categories: ["pii"] }, { timeout: 5000 }],
  ["partner_f.guard", ["input", "output"], { guardrailId: "g", guardrailVersion: "1" }, { redact: false, timeout: 5000 }],
  ["partner_g.guard", ["input"], {}, { redact: false, timeout: 5000 }],
  ["partner_g.pii", ["input", "output"], {}, { redact: false, timeout: 5000 }],
  ["partner_g.harm", ["input", "output"], {}, { redact: false, timeout: 5000 }],
  [
    "partner_h.scan",
    ["input", "output"],
    {},
    { ...HALF, ...DETECTORS, ...FOUND, biased_threshold: 0.5, harmful_threshold: 0.5, timeout: 5000 },
  ],
  ["partner_i.classify", ["input", "output"], {}, { timeout: 5000 }],
  [
    "partner_j.contentSafety",
    ["input", "output"],
    {},
    { blocklistNames: [], apiVersion: "2024-09-01", severity: 2, categories: ["Hate", "SelfHarm", "Sexual", "Violence"], timeout: 5000 },
  ],
  [
    "partner_j.pii",
    ["input", "output"],
    {},
    { domain: "none", apiVersion: "2024-11-01", modelVersion: "latest", redact: false, timeout: 5000 },
  ],
  [
    "partner_k.intercept",
    ["input", "output"],
    {},
    { ai_model: "unknown-model", scan_scope: "last_message", strip_scaffolding: false, timeout: 5000 },
  ],
];

test.each(SETS)(verifies("G.partners.parameters", "%s runs on %j and fills in what is left out"), async (id, on, given, filled) => {
  const check = await checkOf(id);
  expect(check.on).toEqual([...on]);
  const params = Value.Default(check.params, structuredClone(given));
  expect(params).toMatchObject({ ...given, ...filled });
  expect(Value.Check(check.params, params)).toBeTrue();
});

test.each<[id: string, parameters: Json]>([
  ["partner_a.sydeguard", { prompt_injection_threshold: 1.01 }],
  ["partner_a.sydeguard", { evasion_threshold: -0.01 }],
  ["partner_b.validateProject", {}],
  ["partner_b.validateProject", { projectID: "" }],
  ["partner_d.pii", { redact: "true" }],
  ["partner_d.custom", {}],
])(verifies("2.6.partners", "%s does not take %j"), async (id, parameters) => {
  const { params } = await checkOf(id);
  expect(Value.Check(params, Value.Default(params, structuredClone(parameters)))).toBeFalse();
});

const WALLED = ["Person's Name", "Address", "Email Id", "Contact No", "Date Of Birth", "Unique Id", "Financial Data"];
const BOTH: Check["on"] = ["input", "output"];
const PROTECT = { redact: false, monitorOnly: false, timeout: 5000 };
const SEARCH = { prefix: "\n<web_search_context>", suffix: "\n</web_search_context>" };
test.each<[id: string, on: Check["on"], filled: Json]>([
  ["patronus.retrievalHallucination", ["output"], { timeout: 15_000 }],
  ["pangea.textGuard", BOTH, { debug: false, timeout: 5000 }],
  ["pangea.pii", BOTH, { redact: false, timeout: 5000 }],
  ["promptsecurity.protectPrompt", ["input"], PROTECT],
  ["promptsecurity.protectResponse", ["output"], PROTECT],
  ["qualifire.contentModeration", BOTH, { timeout: 10_000 }],
  ["qualifire.pii", BOTH, { timeout: 10_000 }],
  ["qualifire.policy", BOTH, { policy_target: "both", mode: "balanced", timeout: 10_000 }],
  ["qualifire.promptInjections", ["input"], { timeout: 10_000 }],
  ["qualifire.hallucinations", ["output"], { mode: "balanced", timeout: 10_000 }],
  ["qualifire.grounding", ["output"], { mode: "balanced", timeout: 10_000 }],
  ["qualifire.toolSelectionQuality", ["output"], { mode: "balanced", timeout: 10_000 }],
  ["qualifire.toolUseQuality", ["output"], { mode: "balanced", timeout: 10_000 }],
  ["javelin.guardrails", BOTH, { timeout: 5000 }],
  ["f5-guardrails.scan", BOTH, { redact: false, timeout: 5000 }],
  ["crowdstrike-aidr.guardChatCompletions", BOTH, { timeout: 5000 }],
  ["exa.online", ["input"], { ...SEARCH, numResults: 5, timeout: 10_000 }],
  ["tavily.online", ["input"], { ...SEARCH, maxResults: 5, includeAnswer: false, timeout: 30_000 }],
  ["zscaler.executePolicy", BOTH, { timeout: 10_000 }],
  ["cato.analyze", BOTH, { timeout: 5000 }],
  ["akto.scan", BOTH, { timeout: 5000 }],
  ["alibaba-cloud-ai.guard", BOTH, { level: "medium", redact: false, timeout: 5000 }],
  ["azure.shieldPrompt", ["input"], { apiVersion: "2024-09-01", timeout: 5000 }],
  ["azure.protectedMaterial", ["output"], { apiVersion: "2024-09-01", timeout: 5000 }],
  ["lakera.guard", ["input", "output"], { endInclusive: false, timeout: 5000 }],
  [
    "walledai.walledprotect",
    ["input", "output"],
    { generic_safety_check: true, greetings_list: ["Casual & Friendly"], pii_list: WALLED, compliance_list: [], timeout: 5000 },
  ],
])(verifies("G.partners.more", "%s runs on %j and fills in what is left out"), async (id, on, filled) => {
  const check = await checkOf(id);
  expect([check.on, Value.Default(check.params, {})]).toEqual([[...on], filled]);
});

test.each<[id: string, parameters: Json]>([
  ["qualifire.policy", {}],
  ["qualifire.policy", { policies: [] }],
  ["qualifire.policy", { policies: ["a"], policy_target: "none" }],
  ["qualifire.hallucinations", { mode: "slow" }],
  ["f5-guardrails.scan", {}],
  ["zscaler.executePolicy", {}],
  ["zscaler.executePolicy", { policyId: 0 }],
  ["zscaler.executePolicy", { policyId: "p" }],
  ["cato.analyze", { userEmail: "a\r\nb" }],
  ["exa.online", { numResults: 101 }],
  ["exa.online", { includeDomains: [""] }],
  ["tavily.online", { searchDepth: "deep" }],
  ["tavily.online", { startDate: "yesterday" }],
  ["pangea.textGuard", { overrides: [] }],
  ["promptsecurity.protectPrompt", { userGroups: "all" }],
])(verifies("G.partners.more", "%s does not take %j"), async (id, parameters) => {
  const { params } = await checkOf(id);
  expect(Value.Check(params, Value.Default(params, structuredClone(parameters)))).toBeFalse();
});

const GATEWAY: readonly (readonly [id: string, on: Check["on"], given: Json, filled: Json])[] = [
  ["gateway.moderateContent", ["input"], { categories: ["hate"] }, { timeout: 5000 }],
  ["gateway.language", ["input"], { language: "eng_Latn" }, { not: false, timeout: 5000 }],
  ["gateway.pii", ["input", "output"], { categories: ["SSN"] }, { redact: false, not: false, timeout: 5000 }],
  ["gateway.gibberish", ["input", "output"], {}, { not: false, timeout: 5000 }],
];
test.each(GATEWAY)(
  verifies("2.3.service-managed", verifies("2.6.gateway-sets", "%s runs on %j and fills in what is left out")),
  async (id, on, given, filled) => {
    const check = await checkOf(id);
    expect(check.on).toEqual([...on]);
    const params = Value.Default(check.params, structuredClone(given));
    expect(params).toMatchObject({ ...given, ...filled });
    expect(Value.Check(check.params, params)).toBeTrue();
  },
);

test(verifies("8.jwt-defaults", "default.jwt keeps keys for a day, lets clocks differ by 5 s, and takes tokens of a day"), async () => {
  const { params } = await checkOf("default.jwt");
  expect(Value.Default(params, {})).toMatchObject({ cacheMaxAge: 86_400, clockTolerance: 5, maxTokenAge: "1d", algorithms: ["RS256"] });
});

test.each([
  [0.01, true],
  [0.07, true],
  [0.29, true],
  [1, true],
  [0.005, false],
  [0.555, false],
])(verifies("8.score-bounds", "a threshold of %d: %p"), async (threshold, fits) => {
  const { params, problems } = await checkOf("partner_a.sydeguard");
  const given = Value.Default(params, { toxicity_threshold: threshold }) as never; // the line below judges it
  expect(Value.Check(params, given)).toBeTrue();
  expect(problems?.(given)).toEqual(fits ? [] : ["toxicity_threshold must be a number from 0 to 1 in steps of 0.01"]);
});
