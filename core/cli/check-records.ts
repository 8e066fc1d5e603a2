import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Collection, Configs, Guardrails, isJson, messageOf, openSecrets, type RecordOf } from "#contract";
import type { TObject } from "@sinclair/typebox";
import type { Generation } from "../kernel/generation.ts";
import { SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { withGeneration } from "./with-generation.ts";

/**
 * What stands in saved records and is obeyed by nothing, as sentences: members that were taken before they were refused,
 * and those of plugins that are off by now. The deployment is booted for it over its own store, and serves nobody. Where
 * nothing was ever saved, nothing is opened.
 */
export async function idleInRecords(settings: Settings): Promise<readonly string[]> {
  if (!hasStore(settings)) return [];
  try {
    return await withGeneration(readSettings({ ...settings.env, LOG_LEVEL: "error" }), { keepsTables: true }, idleMembers);
  } catch (thrown) {
    return [`Saved configs and guardrails were not looked at: ${messageOf(thrown)}`];
  }
}

const hasStore = ({ dataDir, secretKey, env }: Settings): boolean =>
  (secretKey !== undefined || existsSync(join(dataDir, SECRET_KEY_FILE))) && (isUsed(dataDir) || (env["DATABASE_URL"] ?? "") !== "");
const isUsed = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

async function idleMembers(generation: Generation): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const record of all(generation, Configs)) found.push(...idleInConfig(record, generation));
  for await (const record of all(generation, Guardrails)) found.push(...idleInGuardrail(record, generation));
  return found;
}

const PAGE = 200;
async function* all<S extends TObject>({ stores }: Generation, collection: Collection<S>): AsyncGenerator<RecordOf<Collection<S>>> {
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await stores.records.in(collection).list({ limit: PAGE, offset });
    yield* data;
    if (data.length < PAGE) return;
  }
}

function idleInConfig({ slug, workspace_id, config }: RecordOf<typeof Configs>, { config: rules, vault }: Generation): readonly string[] {
  const found = rules.idle(openSecrets(config, vault));
  return found.map(({ at, why }) => `The config ${slug} of the workspace ${workspace_id}: ${at} ${why}.`);
}

function idleInGuardrail({ slug, checks }: RecordOf<typeof Guardrails>, generation: Generation): readonly string[] {
  return checks.flatMap(({ id, parameters }, i) => {
    const idle = isJson(parameters) ? (generation.checks.get(id)?.idle(parameters) ?? []) : [];
    return idle.map((why) => `The guardrail ${slug}: checks[${i}].parameters: ${why}.`);
  });
}
