import {
  DATA_PLANE_SCOPE,
  Email,
  EVERY_SCOPE,
  ApiKeys,
  inserting,
  newGatewayKey,
  normalEmail,
  Organisations,
  type RecordsHandle,
  Users,
  type Vault,
  Workspaces,
} from "#contract";
import { validator } from "../json/validate.ts";
import { defaultWorkspace, type FirstKeyOf, keyRecord, wasStarted } from "./first-start.ts";
import { readWords, settingsFor } from "./options.ts";
import { CommandFailed, UsageError } from "./usage.ts";
import { withGeneration } from "./with-generation.ts";
import { Type } from "@sinclair/typebox";

/** `gateway organisations create <name>`: beside a running deployment, whose processes hear of it at once. */
export async function organisations(args: readonly string[]): Promise<number> {
  const { values, words } = readWords("organisations", args);
  const [verb, name = "", ...more] = words;
  if (verb !== "create" || name.trim() === "" || name.length > 255 || more.length > 0)
    throw new UsageError('gateway organisations knows one thing to do: gateway organisations create "<name>"', "organisations");
  const owner = ownerIn(values.owner?.at(-1));
  return withGeneration(settingsFor(values), { keepsTables: true }, ({ stores }, { vault, now }) =>
    create({ name: name.trim(), owner, force: values.force !== undefined }, { records: stores.records, vault, now }),
  );
}

function ownerIn(given: string | true | undefined): string | undefined {
  if (given === undefined) return undefined;
  try {
    return normalEmail(String(validator(Type.Object({ owner: Email }))({ owner: given }).owner));
  } catch {
    throw new UsageError(`--owner takes an e-mail address; "${String(given)}" is none.`, "organisations");
  }
}

interface Parts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  now(): number;
}
interface Asked {
  readonly name: string;
  readonly owner: string | undefined;
  /** Make another one of a name that is taken. */
  readonly force: boolean;
}
/** All of it or nothing: keys of an organisation whose making broke off would open what nobody knows of. */
async function create({ name, owner, force }: Asked, parts: Parts): Promise<number> {
  const { records, vault, now } = parts;
  if (!(await wasStarted(records, vault)))
    throw new CommandFailed("The gateway was never started here. Start it once, then make organisations.");
  const namesake = force ? undefined : await records.in(Organisations).first({ name });
  if (namesake)
    throw new CommandFailed(
      `There is an organisation called ${name} already (${namesake.id}). With --force another one of that name is made.`,
    );
  const id = crypto.randomUUID();
  const workspace = defaultWorkspace(crypto.randomUUID(), id, now());
  const admin = newKey({ name: "First admin key", type: "organisation-service", workspaceId: null, scopes: [EVERY_SCOPE] }, id, parts);
  const gateway = newKey(
    { name: "First gateway key", type: "workspace-service", workspaceId: workspace.id, scopes: [DATA_PLANE_SCOPE] },
    id,
    parts,
  );
  const stamps = { created_at: now(), last_updated_at: now() };
  const person = { first_name: "", last_name: "", email: owner ?? "", role: "owner" as const };
  await records.together([
    inserting(Organisations, { id, ...stamps, name, settings: {} }),
    inserting(Workspaces, workspace),
    ...[admin, gateway].map(({ record }) => inserting(ApiKeys, record)),
    ...(owner === undefined ? [] : [inserting(Users, { id: crypto.randomUUID(), ...stamps, organisation_id: id, ...person })]),
  ]);
  console.log(`The organisation ${name} was made.
  Organisation  ${id}
  Workspace     ${workspace.id} (${workspace.slug})
  Admin key     ${admin.secret}
  Gateway key   ${gateway.secret}
The keys are shown here and nowhere else.`);
  return 0;
}

function newKey(of: Omit<FirstKeyOf, "id" | "organisationId">, organisationId: string, parts: Parts) {
  const secret = newGatewayKey(parts.vault);
  return { secret, record: keyRecord({ ...of, id: crypto.randomUUID(), organisationId }, secret, parts) };
}
