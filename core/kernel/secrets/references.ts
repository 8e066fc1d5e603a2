import {
  after,
  GatewayError,
  type Json,
  type MaybePromise,
  openSecrets,
  type RecordOf,
  type RecordsHandle,
  SecretReferences,
  type Vault,
} from "#contract";
import type { KeptSecrets } from "./kept-secrets.ts";

/** Which value of which reference a record names, and whose record it is. */
export interface NamedSecret {
  readonly referenceId: string;
  readonly key: string | null;
  readonly organisationId: string;
  /** Whose the record is; `null` where it is the organisation's. */
  readonly workspaceId: string | null;
}
/** The value that a reference gives, at once where it is kept. Throws SECRET_ABSENT, SECRET_UNAVAILABLE. */
export type ReadReference = (named: NamedSecret) => MaybePromise<string>;

interface Opened {
  readonly organisationId: string;
  readonly reference: string;
  readonly manager: string;
  readonly auth: Json;
  readonly path: string;
  readonly key: string | null;
  /** Undefined where every workspace may. */
  readonly workspaces: ReadonlySet<string> | undefined;
  /** What of the record decides which value it gives. */
  readonly version: string;
}

export interface ReferenceParts {
  readonly records: Pick<RecordsHandle, "lookup">;
  readonly vault: Pick<Vault, "open">;
  readonly secrets: Pick<KeptSecrets, "read">;
}
export function referenceReader({ records, vault, secrets }: ReferenceParts): ReadReference {
  const lookup = records.lookup(SecretReferences, ["organisation_id", "id"], (record) => opened(record, vault));
  return ({ referenceId, organisationId, workspaceId, key }) =>
    after(lookup(organisationId, referenceId), (found) => {
      if (!found || !mayUse(found, workspaceId))
        throw new GatewayError("SECRET_ABSENT", { reference: found?.reference ?? referenceId, why: "it is not there for this workspace" });
      const member = key ?? found.key;
      return secrets.read({ ...found, key: member, id: `${found.version} ${member ?? ""}` });
    });
}

function opened(record: RecordOf<typeof SecretReferences>, vault: Pick<Vault, "open">): Opened {
  const { id, organisation_id, slug, manager_type, auth_config, secret_path, secret_key, allow_all_workspaces, allowed_workspaces } =
    record;
  return {
    organisationId: organisation_id,
    reference: slug,
    manager: manager_type,
    auth: openSecrets(auth_config, vault),
    path: secret_path,
    key: secret_key,
    workspaces: allow_all_workspaces ? undefined : new Set(allowed_workspaces),
    version: JSON.stringify([id, secret_path, auth_config]),
  };
}

/** What belongs to the organisation and not to one workspace of it may use all of the organisation's. */
const mayUse = ({ workspaces }: Opened, workspaceId: string | null): boolean =>
  workspaces === undefined || workspaceId === null || workspaces.has(workspaceId);
