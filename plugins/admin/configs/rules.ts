import {
  ApiKeys,
  type RuleInput,
  type CheckToSave,
  Configs,
  GatewayError,
  isJson,
  type Json,
  nextTurn,
  openedVault,
  openSecrets,
  openUrls,
  type RecordOf,
  sealChecks,
  sealSecretsFrom,
  Workspaces,
} from "#contract";
import { type InlineCheck, inlineChecks, withoutGuardrails } from "./inline.ts";
import { judgeConfig } from "./judge.ts";
import { refuseMoved } from "./moved.ts";

type Config = RecordOf<typeof Configs>;

/** The config as it is stored: judged, its secrets sealed, and those of the one before where they were. */
export async function storedConfig(config: Json, given: RuleInput, record: Config | undefined): Promise<Json> {
  given.catalog.judgeConfig(config, "shape");
  const before = record?.config ?? {};
  const input = { ...given, vault: await openedVault(before, given.vault) };
  const next = await sealedAndJudged(config, input, before);
  if (!record) return next;
  await nextTurn();
  const [after, prior] = [toJudge(next, input), toJudge(before, input)];
  await nextTurn();
  refuseMoved(after, prior, input.catalog);
  await nextTurn();
  return next;
}

/** Each step takes as long with a large config as a turn of the event loop may. */
async function sealedAndJudged(config: Json, input: RuleInput, before: Json): Promise<Json> {
  await nextTurn();
  const next = sealed(config, input, before);
  await nextTurn();
  const plain = openSecrets(next, input.vault);
  await nextTurn();
  await judgeConfig(plain, input);
  return next;
}

/** What goes to providers, its addresses to be read. */
const toJudge = (config: Json, { vault }: Pick<RuleInput, "vault">): Json => openUrls(withoutGuardrails(config), vault);

/** Secrets given in place: `api_key`, the fields a provider's target schema calls secret, and the secret parameters of inline checks. */
function sealed(config: Json, { catalog, vault }: Pick<RuleInput, "catalog" | "vault">, before: Json): Json {
  const credentials = credentialNames(catalog);
  const isSecret = (member: string): boolean => credentials.has(member);
  const next = sealSecretsFrom({ secrets: withoutGuardrails(before), urls: before }, config, isSecret, vault);
  const checks = [...inlineChecks(config)];
  const parameters = sealChecks(checks.map(toSave), [...inlineChecks(before)].map(toSave), { catalog, vault, isSecret });
  for (const [i, check] of [...inlineChecks(next)].entries()) if (isJson(checks[i]?.parameters)) check.replace(parameters[i] ?? {});
  return next;
}

/** What is no object has no secrets; the judge refuses it. */
const toSave = ({ id, at, parameters }: InlineCheck): CheckToSave => ({ id, at, parameters: isJson(parameters) ? parameters : {} });

function credentialNames(catalog: RuleInput["catalog"]): ReadonlySet<string> {
  const names = new Set(["api_key"]);
  for (const { target } of catalog.providers()) {
    for (const [field, schema] of Object.entries(target?.properties ?? {})) if (schema["secret"] === true) names.add(field);
  }
  return names;
}

/** A workspace has at most one default config: the newest that asked to be it. */
export async function oneDefault(record: Config, { records }: Pick<RuleInput, "records">): Promise<void> {
  if (record.is_default === 0) return;
  const configs = records.in(Configs);
  const { data } = await configs.list({
    where: { workspace_id: record.workspace_id, is_default: 1 },
    limit: 1000,
    offset: 0,
    omit: ["config"],
  });
  for (const other of data) if (other.id !== record.id) await configs.update(other.id, { is_default: 0 });
}

/** Requests that count on a config would all be refused without it. */
export async function refuseInUse(record: Config, { records }: Pick<RuleInput, "records">): Promise<void> {
  const isMeant = (name: unknown): boolean => name === record.slug || name === record.id;
  const inUse = (why: string): GatewayError => new GatewayError("IN_USE", { what: `The config ${record.slug}`, action: "deleted", why });
  const workspace = await records.in(Workspaces).get(record.workspace_id);
  const { config_id, user_api_key_config } = workspace?.defaults ?? {};
  if (isMeant(config_id) || isMeant(user_api_key_config)) throw inUse(`it is a default of the workspace ${workspace?.name}`);
  for await (const { name, defaults } of keysOf(record.workspace_id, records))
    if (isMeant(defaults["config_id"])) throw inUse(`it is the config of the key ${name}`);
}

const KEYS_A_PAGE = 200;
async function* keysOf(workspace_id: string, records: RuleInput["records"]): AsyncGenerator<RecordOf<typeof ApiKeys>> {
  for (let offset = 0; ; offset += KEYS_A_PAGE) {
    const { data } = await records.in(ApiKeys).list({ where: { workspace_id }, limit: KEYS_A_PAGE, offset });
    yield* data;
    if (data.length < KEYS_A_PAGE) return;
  }
}
