import { type TSchema, Type } from "@sinclair/typebox";
import type { Caller, Check, CheckInput, Guardrails, Json, RecordOf, Verdict } from "#contract";
import { defineCheck } from "#contract";
import type { ActiveGuardrail } from "../../core/pipeline/plan/guardrails/active.ts";
import { type FinderParts, guardrailFinder } from "../../core/pipeline/plan/guardrails/find.ts";
import { type EngineDeps, loadedHere, quietDeps } from "./bound-check.ts";

/** A check made for one test: what it is, and how it judges. */
export function madeCheck(name: string, run: (input: CheckInput<never>) => Verdict | Promise<Verdict>, more: Partial<Check> = {}): Check {
  return {
    ...defineCheck({
      id: `test.${name}`,
      title: name,
      on: ["input", "output"],
      params: Type.Object({}) as TSchema,
      run: () => ({ verdict: "allow" }),
    }),
    run: run as Check["run"],
    ...more,
  };
}

/** What guardrails need of the gateway, with these checks running. */
export const depsWith = (checks: readonly Check[], more: Partial<EngineDeps> = {}): EngineDeps => ({
  ...quietDeps,
  checks: new Map(checks.map((check) => [check.id, loadedHere(check)])),
  ...more,
});

export const caller: Caller = {
  organisationId: "org",
  workspaceId: "ws",
  keyId: "k",
  keyName: "k",
  keyType: "workspace-service",
  userId: null,
  scopes: new Set(),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
};

/** Inline guardrails, ready to run. */
export const active = (inline: readonly Json[], deps: EngineDeps): readonly ActiveGuardrail[] =>
  guardrailFinder(deps)(inline, caller) as readonly ActiveGuardrail[]; // inline ones need no look-up

/** A saved guardrail. */
export const savedGuardrail = (more: Partial<RecordOf<typeof Guardrails>>): RecordOf<typeof Guardrails> => ({
  id: "11111111-1111-4111-8111-111111111111",
  created_at: 0,
  last_updated_at: 0,
  organisation_id: "org",
  workspace_id: "ws",
  owner_id: "o",
  updated_by: null,
  name: "G",
  slug: "pg-1",
  target: "llm",
  status: "active",
  version_id: "v",
  secret_mappings: null,
  checks: [],
  actions: {
    deny: true,
    async: false,
    on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
    on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
  },
  ...more,
});

/** Records that know these guardrails, answering with or without a promise. */
export const recordsOf = (list: readonly RecordOf<typeof Guardrails>[], warm = true): FinderParts["records"] => ({
  lookup:
    (_, by, map) =>
    (...values) => {
      const found = list.find((record) => by.every((member, index) => (record as Json)[member] === values[index]));
      const mapped = found && map(found as never); // the test asks for guardrails only
      return warm ? mapped : Promise.resolve(mapped);
    },
});
