import {
  ApiKeys,
  Configs,
  GatewayError,
  type Guardrails,
  isJson,
  type Json,
  nextTurn,
  Organisations,
  type RecordOf,
  type RuleInput,
  Workspaces,
} from "#contract";

type Guardrail = RecordOf<typeof Guardrails>;
type InUseInput = Pick<RuleInput, "records">;

const DEFAULTS = ["input_guardrails", "output_guardrails", "mcp_input_guardrails", "mcp_output_guardrails"] as const;
const isNamedIn = (defaults: Json, guardrail: Guardrail): boolean =>
  DEFAULTS.some(
    (list) => Array.isArray(defaults[list]) && (defaults[list].includes(guardrail.slug) || defaults[list].includes(guardrail.id)),
  );

type Action = "deleted" | "archived";
/** A guardrail that a default, a config or a key names would leave their requests refused, were it deleted or archived. */
export const refuseNamed =
  (action: Action) =>
  async (record: Guardrail, input: InUseInput): Promise<void> => {
    await judgeDefaults(record, input, action);
    await judgeConfigs(record, input, action);
    await judgeKeys(record, input, action);
  };

async function judgeDefaults(record: Guardrail, { records }: InUseInput, action: Action): Promise<void> {
  const organisation = await records.in(Organisations).get(record.organisation_id);
  const settings = organisation?.settings["defaults"];
  if (isNamedIn(organisation?.settings ?? {}, record) || (isJson(settings) && isNamedIn(settings, record)))
    throw inUse(record, action, "it is a default guardrail of the organisation");
  const workspaces = await records.in(Workspaces).list({ where: { organisation_id: record.organisation_id }, limit: 10_000, offset: 0 });
  const user = workspaces.data.find((workspace) => isNamedIn(workspace.defaults, record));
  if (user) throw inUse(record, action, `it is a default guardrail of the workspace ${user.name}`);
}

/** Where a guardrail can be named: in its workspace, or, of one of the organisation's own, everywhere. */
const reachOf = ({ organisation_id, workspace_id }: Guardrail) => ({
  organisation_id,
  ...(workspace_id !== null && { workspace_id }),
});

async function judgeConfigs(record: Guardrail, { records }: InUseInput, action: Action): Promise<void> {
  const where = { ...reachOf(record), status: "active" as const };
  for await (const config of all((offset) => records.in(Configs).list({ where, limit: PAGE, offset })))
    if (saysName(config.config, record)) throw inUse(record, action, `the config ${config.slug} names it`);
}

async function judgeKeys(record: Guardrail, { records }: InUseInput, action: Action): Promise<void> {
  for await (const key of all((offset) => records.in(ApiKeys).list({ where: reachOf(record), limit: PAGE, offset })))
    if (isNamedIn(key.defaults, record)) throw inUse(record, action, `it is a default guardrail of the key ${key.name}`);
}

const PAGE = 100;
async function* all<T>(page: (offset: number) => Promise<{ readonly data: readonly T[] }>): AsyncGenerator<T> {
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await page(offset);
    yield* data;
    if (data.length < PAGE) return;
    await nextTurn();
  }
}

const LISTS = ["input_guardrails", "output_guardrails", "before_request_hooks", "after_request_hooks", "input_mutators", "output_mutators"];
/** Is it named by the config or one of its targets? Their depth is bounded where configs are saved. */
function saysName(config: Json, named: Pick<Guardrail, "id" | "slug">): boolean {
  const { id, slug } = named;
  const names = LISTS.some((list) => Array.isArray(config[list]) && config[list].some((entry: unknown) => entry === id || entry === slug));
  const targets = Array.isArray(config["targets"]) ? config["targets"].filter(isJson) : [];
  return names || targets.some((target) => saysName(target, named));
}

const inUse = ({ slug }: Guardrail, action: Action, why: string): GatewayError =>
  new GatewayError("IN_USE", { what: `The guardrail ${slug}`, action, why });
