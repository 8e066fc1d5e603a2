import type { Static } from "@sinclair/typebox";
import {
  type Asked,
  GatewayError,
  type GuardrailActions,
  type GuardrailCheck,
  type Guardrails,
  isJson,
  type Json,
  judgeCheck,
  type Made,
  makeSlug,
  maskSecrets,
  nextTurn,
  openSecrets,
  Organisations,
  type RecordOf,
  type Revision,
  sealChecks,
  Workspaces,
} from "#contract";
import type { CreateBody, UpdateBody } from "./schema.ts";

type Guardrail = RecordOf<typeof Guardrails>;
type Schema = typeof Guardrails.schema;

const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
/** Specification 2.4: what an `mcp_tools` guardrail does when its actions are left out. */
const ACTIONS: GuardrailActions = { deny: false, async: false, on_success: feedback(5), on_fail: feedback(-5) };

export async function make(asked: Asked<Static<typeof CreateBody>>): Promise<Made<Schema>> {
  const { body, actor } = asked;
  const { name, target = "llm", actions = ACTIONS } = body;
  if (target === "llm") required(body);
  const checks = await sealedAndJudged(body.checks ?? [], [], target, asked);
  const slug = makeSlug("pg", name);
  return {
    record: { name, target, checks, actions, slug, status: "active", version_id: crypto.randomUUID(), owner_id: actor, updated_by: null },
  };
}

export async function change(record: Guardrail, asked: Asked<Static<typeof UpdateBody>>): Promise<Revision<Schema>> {
  const { body, actor } = asked;
  const written = { ...body, version_id: crypto.randomUUID(), updated_by: actor };
  if (!body.checks) return written;
  return { ...written, checks: await sealedAndJudged(body.checks, record.checks, record.target, asked) };
}

/** Checks may be as large as a body: others have their turn between the steps. */
async function sealedAndJudged(
  given: readonly GuardrailCheck[],
  before: readonly GuardrailCheck[],
  target: Guardrail["target"],
  asked: Asked,
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
  { catalog, vault }: Pick<Asked, "catalog" | "vault">,
): GuardrailCheck[] {
  const toSave = checks.map((check, i) => ({ ...check, at: `checks[${i}]` }));
  const parameters = sealChecks(toSave, before, { catalog, vault });
  return checks.map((check, i) => (check.parameters ? { ...check, parameters: parameters[i] ?? {} } : check));
}

const withParameters = (checks: readonly GuardrailCheck[], map: (parameters: Json) => Json): GuardrailCheck[] =>
  checks.map((check) => (check.parameters ? { ...check, parameters: map(check.parameters) } : check));
const opened = (checks: readonly GuardrailCheck[], vault: Asked["vault"]): GuardrailCheck[] =>
  withParameters(checks, (parameters) => openSecrets(parameters, vault));
/** As answers show them. */
export const masked = (checks: readonly GuardrailCheck[], vault: Asked["vault"]): GuardrailCheck[] =>
  withParameters(checks, (parameters) => maskSecrets(parameters, vault));

function required(body: Static<typeof CreateBody>): void {
  for (const member of ["checks", "actions"] as const) {
    if (!body[member])
      throw new GatewayError(
        "REQUEST_INVALID",
        { what: `The member ${member} is missing; a guardrail with the target llm needs it.` },
        { param: member },
      );
  }
}

/** One after the other: what is wrong with the first is told first. */
async function judge(checks: readonly GuardrailCheck[], target: Guardrail["target"], asked: Asked): Promise<void> {
  for (const [i, check] of checks.entries()) await judgeCheck(check, target, asked, `checks[${i}]`);
}

const DEFAULTS = ["input_guardrails", "output_guardrails", "mcp_input_guardrails", "mcp_output_guardrails"] as const;
const names = (defaults: Json, guardrail: Guardrail): boolean =>
  DEFAULTS.some(
    (list) => Array.isArray(defaults[list]) && (defaults[list].includes(guardrail.slug) || defaults[list].includes(guardrail.id)),
  );

/** A default guardrail that vanished would leave every request of its scope refused. */
export async function refuseDefault(record: Guardrail, { records }: Asked<undefined>): Promise<void> {
  const organisation = await records.in(Organisations).get(record.organisation_id);
  const settings = organisation?.settings["defaults"];
  if (names(organisation?.settings ?? {}, record) || (isJson(settings) && names(settings, record))) throw inUse(record, "the organisation");
  const workspaces = await records.in(Workspaces).list({ where: { organisation_id: record.organisation_id }, limit: 10_000, offset: 0 });
  const user = workspaces.data.find((workspace) => names(workspace.defaults, record));
  if (user) throw inUse(record, `the workspace ${user.name}`);
}

const inUse = (record: Guardrail, where: string): GatewayError =>
  new GatewayError("IN_USE", { what: `The guardrail ${record.slug}`, why: `it is a default guardrail of ${where}` });
