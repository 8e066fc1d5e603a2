/** The lists of the specification about guardrails, word by word: check ids, timeouts, flags and states. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json } from "../endpoints/api.ts";
import { errorOf, refused } from "./api.ts";

const api = forAll();
const feedback = (value: number): Json => ({ feedback: { value, weight: 1, metadata: "" } });
const actions: Json = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
const save = (id: string, parameters: Json, path = "/v2/guardrails") =>
  api.admin("POST", path, {
    name: "g",
    checks: [{ id, parameters }],
    actions,
    ...(path === "/v2/guardrails" && { workspace_id: "default" }),
  });

const NOT = ["not"];
const REDACT = ["redact"];
const WAITS = ["timeout"];
interface Listed {
  /** What it cannot do without, each with a legal value. */
  readonly needs?: Json;
  /** Parameters that are on or off. */
  readonly flags?: readonly string[];
  /** Parameters in milliseconds. */
  readonly times?: readonly string[];
}
const judge: Listed = { flags: REDACT, times: WAITS };
const OPINIONS = "isConcise isHelpful isPolite noApologies noGenderBias noRacialBias retrievalAnswerRelevance toxicity".split(" ");
/** The check ids of the specification, exactly these. */
const CHECKS: Readonly<Record<string, Listed>> = {
  "default.jwt": { needs: { jwksUri: "https://a.example.com/jwks", headerKey: "x-user-token" } },
  "default.modelWhitelist": { needs: { models: ["gpt-4o"] } },
  "default.isAllLowerCase": { flags: NOT },
  "default.regexMatch": { needs: { rule: "a+" }, flags: NOT },
  "default.sentenceCount": { flags: NOT },
  "default.wordCount": { flags: NOT },
  "default.characterCount": { flags: NOT },
  "default.jsonSchema": { needs: { schema: { type: "object" } }, flags: NOT },
  "default.jsonKeys": { needs: { keys: ["a"] } },
  "default.contains": { needs: { words: ["a"] } },
  "default.validUrls": { flags: ["onlyDNS", "not"] },
  "default.containsCode": { needs: { format: "SQL" }, flags: NOT },
  "default.webhook": { needs: { webhookURL: "https://hooks.example.com/x" }, flags: ["failOnError"], times: WAITS },
  "default.endsWith": { needs: { suffix: "!" }, flags: NOT },
  "default.alluppercase": { flags: NOT },
  "default.requiredMetadataKeys": { needs: { metadataKeys: ["team"] } },
  "default.allowedRequestTypes": {},
  "gateway.moderateContent": { needs: { categories: ["hate"] }, times: WAITS },
  "gateway.language": { flags: NOT, times: WAITS },
  "gateway.pii": { needs: { categories: ["SSN"] }, flags: REDACT },
  "gateway.gibberish": {},
  "partner_a.sydeguard": { times: WAITS },
  "partner_b.validateProject": { needs: { projectID: "p" }, times: WAITS },
  "partner_c.scanPrompt": { needs: { scanners: ["pii"] }, times: WAITS },
  "partner_c.scanResponse": { needs: { scanners: ["pii"] }, times: WAITS },
  "partner_d.phi": judge,
  "partner_d.pii": judge,
  ...Object.fromEntries(OPINIONS.map((name) => [`partner_d.${name}`, judge])),
  "partner_d.custom": { needs: { profile: "judge:x" }, times: WAITS },
  "partner_e.moderateContent": { needs: { categories: ["pii"] }, times: WAITS },
  "partner_f.guard": { needs: { guardrailId: "g", guardrailVersion: "1" }, flags: REDACT, times: WAITS },
  "partner_g.guard": judge,
  "partner_g.pii": judge,
  "partner_g.harm": judge,
  "partner_h.scan": { flags: ["pii_redact", "secrets_redact"], times: WAITS },
  "partner_i.classify": { times: WAITS },
  "partner_j.contentSafety": { times: WAITS },
  "partner_j.pii": { flags: REDACT, times: WAITS },
  "partner_k.intercept": { needs: { profile_name: "p" }, flags: ["strip_scaffolding"] },
};
/** What they need may be said in another way, too. */
const OTHERWISE: readonly string[] = ["default.jwt", "partner_k.intercept"];

describe.each(Object.entries(CHECKS))("the check %s", (id, { needs = {}, flags = [], times = [] }) => {
  const expectRefused = async (parameters: Json, member: string): Promise<void> => {
    const { status, code, param } = errorOf(await save(id, parameters));
    expect({
      parameters,
      status,
      code,
      names: String(param)
        .split(/[.[\]]+/)
        .includes(member)
        ? member
        : param,
    }).toEqual({
      ...{ parameters, status: 400, code: "AB01", names: member },
    });
  };
  test(verifies("2.3.ids", "is saved in a workspace and in the organisation, and reads back"), async () => {
    for (const path of ["/v2/guardrails", "/admin/v2/guardrails"]) {
      const { id: made } = bodyOf(await save(id, needs, path));
      expect(at(bodyOf(await api.admin("GET", `${path}/${made}`)), "checks", 0)).toMatchObject({ id, parameters: needs });
    }
  });
  test(verifies("2.6.required", "needs what it cannot do without"), async () => {
    for (const member of OTHERWISE.includes(id) ? [] : Object.keys(needs)) {
      const { [member]: _, ...rest } = needs;
      await expectRefused(rest, member);
    }
  });
  test(verifies("2.6.flags", "has flags that are on or off, and nothing between"), async () => {
    for (const flag of flags) {
      for (const value of [true, false]) bodyOf(await save(id, { ...needs, [flag]: value }));
      for (const value of ["yes", 1, null]) await expectRefused({ ...needs, [flag]: value }, flag);
    }
  });
  test(verifies("2.6.timeouts", "waits a number of milliseconds"), async () => {
    for (const member of times) {
      for (const value of [1, 5_000, 15_000]) bodyOf(await save(id, { ...needs, [member]: value }));
      for (const value of ["soon", -1, null]) await expectRefused({ ...needs, [member]: value }, member);
    }
  });
});

test("the list is the specification's: 46 ids", () => expect(Object.keys(CHECKS)).toHaveLength(46));

test(verifies("3.guardrail-archived", "a guardrail is active or archived, and goes from each to the other"), async () => {
  const { id } = bodyOf(await save("default.wordCount", { maxWords: 9 }));
  const path = `/v2/guardrails/${id}`;
  const state = async (): Promise<unknown> => bodyOf(await api.admin("GET", path))["status"];
  expect(await state()).toBe("active");
  for (const status of ["archived", "active"]) {
    bodyOf(await api.admin("PUT", path, { status }));
    expect(await state()).toBe(status);
  }
  for (const status of ["gone", "", null])
    expect(errorOf(await api.admin("PUT", path, { status }))).toEqual(refused(400, "AB01", "status"));
});
