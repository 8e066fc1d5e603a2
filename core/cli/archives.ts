import { type Archive, GatewayError, type Json, type OwnArchive } from "#contract";
import { registry } from "../generated/registry.ts";
import { deploymentOf } from "../kernel/discovery/deployment.ts";
import { SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import { loadPlugin } from "../kernel/load.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { type DeployedPlugin, STEP_LIMITS } from "../kernel/life.ts";
import { STORAGE_HANDLES, wantedStorage } from "../kernel/records/stores.ts";

/** A storage of this deployment whose copies are made here. It is loaded and its configuration judged; it is not set up. */
export interface StorageArchive {
  readonly id: string;
  readonly name: string;
  readonly config: Json;
  readonly archive: OwnArchive;
}
export interface Archives {
  readonly own: readonly StorageArchive[];
  /** Sentences of the storages that are copied by other means. */
  readonly elsewhere: readonly string[];
}

/** The storages that a gateway with these settings would open. Refused when its records are kept where we make no copies. */
export async function archivesOf(settings: Settings): Promise<Archives> {
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins: all } = await deploymentOf(profile, registry, settings.env);
  const { wanted } = wantedStorage(all);
  const own: StorageArchive[] = [];
  const elsewhere: string[] = [];
  for (const storage of wanted) {
    const { plugin, config } = await loadPlugin(storage, { profile, all, limits: STEP_LIMITS, isolation: undefined });
    const archive = (plugin.archive ?? SILENT) as Archive; // a storage plugin, which takes the configuration its schema accepted
    if (!("elsewhere" in archive)) own.push({ id: storage.manifest.id, name: storage.name, config, archive });
    else if (offers(storage).includes("records"))
      throw new GatewayError("BACKUP_REFUSED", { why: keptElsewhere(storage, archive.elsewhere) });
    else elsewhere.push(`Not in it: ${offers(storage).join(", ")} of ${storage.name}; ${archive.elsewhere}.`);
  }
  return { own, elsewhere };
}

const SILENT: Archive = { elsewhere: "the plugin does not say how" };
const offers = ({ manifest }: DeployedPlugin): readonly string[] => manifest.provides ?? STORAGE_HANDLES;

const keptElsewhere = ({ name }: DeployedPlugin, sentence: string): string =>
  `the records of this deployment are kept by ${name}; ${sentence}. Keep GATEWAY_SECRET_KEY (or ${SECRET_KEY_FILE} of the data folder) with such a copy`;
