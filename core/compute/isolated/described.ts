import type { TObject } from "@sinclair/typebox";
import type { Check, CheckInput, GuardrailPack, Json, Plugin, Verdict } from "#contract";
import { readSchema, writtenSchema } from "./schema-wire.ts";
import type { DescribedCheck, DescribedPack, DescribedPlugin } from "./wire.ts";

/** A plugin without its functions, for the process that does not run it. */
export const describedPlugin = ({ kind, needs, config }: Plugin<"guardrail">): DescribedPlugin => ({
  kind,
  needs: [...needs],
  config: writtenSchema(config),
});

export const describedPack = ({ checks, credentials }: GuardrailPack): DescribedPack => ({
  checks: checks.map(describedCheck),
  credentials: writtenSchema(credentials) ?? null,
});

/** What the gateway asks a check while a request waits for the answer: it cannot wait for another process there. */
const ASKED_AT_ONCE = ["judgesPassing", "judgesCredential", "writesHeaders", "dispatches"] as const;

function describedCheck(check: Check): DescribedCheck {
  const asked = ASKED_AT_ONCE.find((name) => check[name] !== undefined);
  if (asked !== undefined)
    throw new Error(`${check.id} has \`${asked}\`, which the gateway asks in its own process: such a pack cannot be isolated`);
  const { id, title, on, targets, wants, scope, stream, transforms, timeoutMs, operations } = check;
  const members = { id, title, on, targets, wants, scope, stream, transforms, timeoutMs, operations };
  return {
    members: JSON.parse(JSON.stringify(members)) as Json,
    params: writtenSchema(check.params),
    hasProblems: check.problems !== undefined,
  }; // an object stays one
}

/** A check whose work is done in a process of its pack's own. */
export interface IsolatedCheck extends Check {
  /** What is wrong with parameters beyond their schema, asked there. */
  readonly problemsElsewhere?: (params: unknown, tenant: string) => Promise<readonly string[]>;
}
export interface CheckWork {
  judge(check: string, input: CheckInput<unknown>): Promise<Verdict>;
  problems(check: string, params: unknown, tenant: string): Promise<readonly string[]>;
}

/** The pack as the gateway runs it: the same checks, each asked elsewhere. */
export const isolatedPack = ({ checks, credentials }: DescribedPack, work: CheckWork): GuardrailPack => ({
  checks: checks.map((check) => isolatedCheck(check, work)),
  ...(credentials !== null && { credentials: readSchema(credentials) as TObject }), // the kernel judges what a pack provides
});

function isolatedCheck({ members, params, hasProblems }: DescribedCheck, work: CheckWork): IsolatedCheck {
  const check = members as unknown as Omit<Check, "params" | "run">; // written by describedCheck, and judged by the kernel
  return {
    ...check,
    params: readSchema(params),
    run: (input: CheckInput<never>) => work.judge(check.id, input),
    ...(hasProblems && { problemsElsewhere: (given: unknown, tenant: string) => work.problems(check.id, given, tenant) }),
  };
}
