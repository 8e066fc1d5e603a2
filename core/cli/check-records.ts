import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Collection, Configs, Guardrails, Integrations, isJson, messageOf, openSecrets, Providers, type RecordOf } from "#contract";
import type { TObject } from "@sinclair/typebox";
import type { Generation } from "../kernel/generation.ts";
import { SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { type AbsentNames, absentNames, type SavedProviders } from "./absent-names.ts";
import { SERVER_VARIABLES } from "./with-empty-store.ts";
import { withGeneration } from "./with-generation.ts";

/**
 * What stands in saved records and is obeyed by nothing, as sentences: members that were taken before they were refused,
 * those of plugins that are off by now, and names of providers and checks that are not there. The deployment is booted
 * for it over its own store, and serves nobody. Where nothing was ever saved, nothing is opened.
 */
export async function judgeRecords(settings: Settings): Promise<RecordsJudged> {
  if (!hasStore(settings)) return { idle: [], unjudged: serversOf(settings).map(unopened) };
  try {
    const idle = await withGeneration(readSettings({ ...settings.env, LOG_LEVEL: "error" }), { keepsTables: true }, idleMembers);
    return { idle, unjudged: [] };
  } catch (thrown) {
    return { idle: [], unjudged: [`the storage, and the configs and guardrails saved in it: ${messageOf(thrown)}`] };
  }
}
export interface RecordsJudged {
  readonly idle: readonly string[];
  /** What could not be looked at, and why. */
  readonly unjudged: readonly string[];
}

const serversOf = ({ env }: Settings): readonly string[] => SERVER_VARIABLES.filter((name) => (env[name] ?? "") !== "");
const unopened = (variable: string): string => `the server of ${variable}: it was not asked, because nothing is saved here yet.`;

const hasStore = ({ dataDir, secretKey, env }: Settings): boolean =>
  (secretKey !== undefined || existsSync(join(dataDir, SECRET_KEY_FILE))) && (isUsed(dataDir) || (env["DATABASE_URL"] ?? "") !== "");
const isUsed = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

async function idleMembers(generation: Generation): Promise<readonly string[]> {
  const found: string[] = [];
  const absent = absentNames(generation, await savedProviders(generation));
  for await (const record of all(generation, Configs)) found.push(...idleInConfig(record, generation, absent));
  for await (const record of all(generation, Guardrails)) found.push(...idleInGuardrail(record, generation, absent));
  return found;
}

async function savedProviders(generation: Generation): Promise<SavedProviders> {
  const ids = new Map<string, string>();
  for await (const { id, ai_provider_id } of all(generation, Integrations)) ids.set(id, ai_provider_id);
  const saved = new Map<string, Map<string, string>>();
  for await (const { workspace_id, slug, integration_id } of all(generation, Providers)) {
    const references = saved.get(workspace_id) ?? new Map<string, string>();
    saved.set(workspace_id, references.set(`@${slug}`, ids.get(integration_id) ?? ""));
  }
  return saved;
}

const PAGE = 200;
async function* all<S extends TObject>({ stores }: Generation, collection: Collection<S>): AsyncGenerator<RecordOf<Collection<S>>> {
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await stores.records.in(collection).list({ limit: PAGE, offset });
    yield* data;
    if (data.length < PAGE) return;
  }
}

function idleInConfig(record: RecordOf<typeof Configs>, { config: rules, vault }: Generation, absent: AbsentNames): readonly string[] {
  const { slug, workspace_id } = record;
  const config = openSecrets(record.config, vault);
  const found = [...rules.idle(config).map(({ at, why }) => `${at} ${why}.`), ...absent.inConfig(config, workspace_id)];
  return found.map((sentence) => `The config ${slug} of the workspace ${workspace_id}: ${sentence}`);
}

function idleInGuardrail({ slug, checks }: RecordOf<typeof Guardrails>, generation: Generation, absent: AbsentNames): readonly string[] {
  const idle = checks.flatMap(({ id, parameters }, i) => {
    const members = isJson(parameters) ? (generation.checks.get(id)?.idle(parameters) ?? []) : [];
    return members.map((why) => `checks[${i}].parameters: ${why}.`);
  });
  return [...idle, ...absent.inChecks(checks)].map((sentence) => `The guardrail ${slug}: ${sentence}`);
}
