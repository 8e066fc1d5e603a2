import { Configs, eachMember, Integrations, isSealed, type Json, Providers, type RecordsHandle, type Vault, Workspaces } from "#contract";
import type { Resolved } from "../plan/targets.ts";
import { identityOf, secretsIn } from "./credential.ts";

/** Has nobody but one workspace this target's credential, as far as the records tell? One that the request brought is its own. */
export type ServesOne = (to: CalledWith) => Promise<boolean>;
type CalledWith = Pick<Resolved, "id" | "provider" | "target" | "kept">;

/** Who keeps which secrets, as keyed hashes: an integration, by its providers' workspaces, or a config. */
interface Keeper {
  readonly id: string;
  readonly secrets: readonly string[];
}
type Users = ReadonlyMap<string, ReadonlySet<string>>;

export interface SharingParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
}
export function sharing({ records, vault }: SharingParts): ServesOne {
  const hashed = (secret: string): string => vault.digest(`secret ${secret}`);
  const inSealed = (sealed: readonly string[]): readonly string[] => sealed.flatMap((text) => opened(text, vault)).map(hashed);
  const sealedIn = (json: Json): readonly string[] => inSealed(sealedTexts(json));
  const integrations = records.lookupAll(Integrations, [], {}, ({ id, ai_provider_id, key_sealed, configurations }): Keeper => {
    const secrets = [...inSealed(key_sealed === null ? [] : [key_sealed]), ...sealedIn(configurations)];
    return { id, secrets: secrets.length > 0 ? secrets : [hashed(identityOf(ai_provider_id))] };
  });
  const providers = records.lookupAll(Providers, [], {}, ({ integration_id: id, workspace_id: workspace }) => ({ id, workspace }));
  const configs = records.lookupAll(Configs, [], {}, ({ workspace_id: id, config }): Keeper => ({ id, secrets: sealedIn(config) }));

  const workspaces = records.lookupAll(Workspaces, [], {}, ({ id }) => id);

  let kept: { readonly of: readonly unknown[]; readonly users: Users } | undefined;
  async function users(): Promise<Users> {
    const [keys, usable, inConfigs] = await Promise.all([integrations(), providers(), configs()]);
    const of = [keys, usable, inConfigs];
    if (kept?.of.every((list, index) => list === of[index])) return kept.users;
    const byIntegration = new Map(keys.map(({ id, secrets }) => [id, secrets]));
    const inWorkspaces = usable.map(({ id, workspace }) => ({ id: workspace, secrets: byIntegration.get(id) ?? [] }));
    kept = { of, users: usersOf([...inWorkspaces, ...inConfigs]) };
    return kept.users;
  }
  return async (to) => {
    const secrets = secretsIn(to);
    if (isGateways(to, secrets) || to.kept?.isMapped) return (await workspaces()).length <= 1;
    if (to.kept === null) return true;
    const credentialUsers = await users();
    const having = (secrets.length > 0 ? secrets : [identityOf(to.id)]).flatMap((secret) => [
      ...(credentialUsers.get(hashed(secret)) ?? []),
    ]);
    return new Set(having).size <= 1;
  };
}

/** What is signed without a secret is signed as the gateway itself: any workspace may ask for that. */
const isGateways = ({ provider }: CalledWith, secrets: readonly string[]): boolean => secrets.length === 0 && provider.sign !== undefined;

function usersOf(keepers: readonly Keeper[]): Users {
  const users = new Map<string, Set<string>>();
  for (const { id, secrets } of keepers) for (const secret of secrets) users.set(secret, (users.get(secret) ?? new Set()).add(id));
  return users;
}

/** What cannot be opened serves nobody. */
function opened(sealed: string, vault: Vault): readonly string[] {
  try {
    return [vault.open(sealed)];
  } catch {
    return []; // sealed with another key of the deployment's
  }
}

/** Of whole keys and other secrets; a sealed address is no credential by itself. */
function sealedTexts(json: Json): readonly string[] {
  const found: string[] = [];
  eachMember(json, (_, value) => {
    if (isSealed(value) && value.url !== true) found.push(value.sealed);
  });
  return found;
}
