import {
  type RuleInput,
  GatewayError,
  type GuardrailCheck,
  type Guardrails,
  judgeCheck,
  nextTurn,
  openSecrets,
  type RecordOf,
  sealChecks,
  type Written,
} from "#contract";

import { mappedParameters } from "./mappings.ts";

type Guardrail = RecordOf<typeof Guardrails>;
type Body = Written<(typeof Guardrails)["fields"]>;

/** The checks with their secret parameters sealed, once they have been judged. */
export const storedChecks = (
  given: readonly GuardrailCheck[],
  input: RuleInput<Body>,
  before: Guardrail | undefined,
): Promise<GuardrailCheck[]> => sealedAndJudged(given, before?.checks ?? [], before?.target ?? input.body.target ?? "llm", input);

/** Checks that stay need what mappings no longer give them. */
export const judgeStored = ({ checks, target }: Guardrail, input: RuleInput<Body>): Promise<void> =>
  judge(opened(checks, input.vault), target, input);

/** Checks may be as large as a body: others have their turn between the steps. */
async function sealedAndJudged(
  given: readonly GuardrailCheck[],
  before: readonly GuardrailCheck[],
  target: Guardrail["target"],
  input: RuleInput<Body>,
): Promise<GuardrailCheck[]> {
  const checks = sealed(given, before, input);
  await nextTurn();
  const plain = opened(checks, input.vault);
  await nextTurn();
  await judge(plain, target, input);
  return checks;
}

/** The checks with their secret parameters sealed; one that is sent back as it was shown keeps its stored value. */
function sealed(
  checks: readonly GuardrailCheck[],
  before: readonly GuardrailCheck[],
  { catalog, vault }: Pick<RuleInput, "catalog" | "vault">,
): GuardrailCheck[] {
  const toSave = checks.map((check, i) => ({ ...check, at: `checks[${i}]` }));
  const parameters = sealChecks(toSave, before, { catalog, vault });
  return checks.map((check, i) => (check.parameters ? { ...check, parameters: parameters[i] ?? {} } : check));
}

const opened = (checks: readonly GuardrailCheck[], vault: RuleInput["vault"]): GuardrailCheck[] =>
  checks.map((check) => (check.parameters ? { ...check, parameters: openSecrets(check.parameters, vault) } : check));

/** Of a new guardrail: the target `llm` needs what another may leave out. */
export function judgeWhole(body: Body): void {
  const missing = (["checks", "actions"] as const).find((member) => body[member] === undefined);
  if (missing === undefined || (body.target ?? "llm") !== "llm") return;
  const what = `The member ${missing} is missing; a guardrail with the target llm needs it.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: missing });
}

/** How a denial is answered, where nothing is denied: who wrote it believes in a guardrail that there is not. */
export function refuseIdle(actions: Guardrail["actions"]): void {
  if (actions.soft_deny_200 !== true || actions.deny) return;
  const what =
    "The member actions.soft_deny_200 says how a denial is answered, and this guardrail denies nothing: set actions.deny to true.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "actions.soft_deny_200" });
}

/** One after the other: what is wrong with the first is told first. */
async function judge(checks: readonly GuardrailCheck[], target: Guardrail["target"], input: RuleInput<Body>): Promise<void> {
  for (const [i, check] of checks.entries())
    await judgeCheck({ ...check, mapped: mappedParameters(checks, i, input) }, target, input, `checks[${i}]`);
}
