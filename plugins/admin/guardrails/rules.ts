import {
  type RuleInput,
  GatewayError,
  type GuardrailCheck,
  type Guardrails,
  isJson,
  type Json,
  judgeCheck,
  nextTurn,
  openSecrets,
  Organisations,
  type RecordOf,
  sealChecks,
  Workspaces,
  type Written,
} from "#contract";

type Guardrail = RecordOf<typeof Guardrails>;
type Body = Written<(typeof Guardrails)["fields"]>;

/** The checks with their secret parameters sealed, once they have been judged. */
export const storedChecks = (
  given: readonly GuardrailCheck[],
  asked: RuleInput<Body>,
  before: Guardrail | undefined,
): Promise<GuardrailCheck[]> => sealedAndJudged(given, before?.checks ?? [], before?.target ?? asked.body.target ?? "llm", asked);

/** Checks may be as large as a body: others have their turn between the steps. */
async function sealedAndJudged(
  given: readonly GuardrailCheck[],
  before: readonly GuardrailCheck[],
  target: Guardrail["target"],
  asked: RuleInput,
): Promise<GuardrailCheck[]> {
  const checks = sealed(given, before, asked);
  await nextTurn();
  const plain = opened(checks, asked.vault);
  await nextTurn();
  await judge(plain, target, asked);
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

/** One after the other: what is wrong with the first is told first. */
async function judge(checks: readonly GuardrailCheck[], target: Guardrail["target"], asked: RuleInput): Promise<void> {
  for (const [i, check] of checks.entries()) await judgeCheck(check, target, asked, `checks[${i}]`);
}

const DEFAULTS = ["input_guardrails", "output_guardrails", "mcp_input_guardrails", "mcp_output_guardrails"] as const;
const names = (defaults: Json, guardrail: Guardrail): boolean =>
  DEFAULTS.some(
    (list) => Array.isArray(defaults[list]) && (defaults[list].includes(guardrail.slug) || defaults[list].includes(guardrail.id)),
  );

/** A default guardrail that vanished would leave every request of its scope refused. */
export async function refuseDefault(record: Guardrail, { records }: RuleInput<undefined>): Promise<void> {
  const organisation = await records.in(Organisations).get(record.organisation_id);
  const settings = organisation?.settings["defaults"];
  if (names(organisation?.settings ?? {}, record) || (isJson(settings) && names(settings, record))) throw inUse(record, "the organisation");
  const workspaces = await records.in(Workspaces).list({ where: { organisation_id: record.organisation_id }, limit: 10_000, offset: 0 });
  const user = workspaces.data.find((workspace) => names(workspace.defaults, record));
  if (user) throw inUse(record, `the workspace ${user.name}`);
}

const inUse = (record: Guardrail, where: string): GatewayError =>
  new GatewayError("IN_USE", { what: `The guardrail ${record.slug}`, why: `it is a default guardrail of ${where}` });
