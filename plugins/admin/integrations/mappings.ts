import {
  GatewayError,
  type Integrations,
  isUuid,
  type RecordOf,
  type RuleInput,
  type SecretMapping,
  SecretReferences,
  type Written,
} from "#contract";
import type { Static } from "@sinclair/typebox";

type Integration = RecordOf<typeof Integrations>;
type Mapping = Static<typeof SecretMapping>;
type Input = RuleInput<Written<(typeof Integrations)["fields"]>>;
const INSIDE = "configurations.";

/** Mappings as they are stored: each of a field of its own that the provider has, and of a reference that the workspace may use. */
export async function storedMappings(
  given: readonly Mapping[] | null,
  input: Input,
  record: Integration | undefined,
): Promise<Mapping[] | null> {
  if (given === null) return null;
  const provider = record?.ai_provider_id ?? input.body.ai_provider_id ?? "";
  const fields = input.catalog.providers().find(({ id }) => id === provider)?.target?.properties ?? {};
  const stored: Mapping[] = [];
  for (const [index, mapping] of given.entries()) {
    const at = `secret_mappings[${index}]`;
    const target_field = fieldMeant(mapping.target_field, Object.keys(fields), at);
    if (stored.some((other) => other.target_field === target_field)) throw invalid(`${target_field} is mapped twice`, `${at}.target_field`);
    stored.push({ ...mapping, target_field, secret_reference_id: await referenceMeant(mapping, at, input) });
  }
  return stored;
}

/** The members of `configurations` that are kept elsewhere. */
export const mappedMembers = (mappings: readonly Mapping[] | null | undefined): ReadonlySet<string> =>
  new Set((mappings ?? []).map(({ target_field: field }) => (field.startsWith(INSIDE) ? field.slice(INSIDE.length) : field)));

/** `key`, or a member of the configurations, which may be named alone. */
function fieldMeant(given: string, fields: readonly string[], at: string): string {
  if (given === "key") return given;
  const name = given.startsWith(INSIDE) ? given.slice(INSIDE.length) : given;
  if (fields.includes(name)) return INSIDE + name;
  const known = ["key", ...fields.map((field) => INSIDE + field)].join(", ");
  throw invalid(`the provider has no field ${name.slice(0, 80)}; what can be mapped is ${known}`, `${at}.target_field`);
}

async function referenceMeant({ secret_reference_id: named }: Mapping, at: string, input: Input): Promise<string> {
  const where = { [isUuid(named) ? "id" : "slug"]: named, organisation_id: input.organisationId };
  const found = /^[\w-]+$/.test(named) ? await input.records.in(SecretReferences).first(where) : undefined;
  const isVisible =
    found && (found.allow_all_workspaces || input.workspaceId === null || found.allowed_workspaces.includes(input.workspaceId));
  if (found && isVisible) return found.id;
  throw invalid(`there is no secret reference ${named.slice(0, 80)} here`, `${at}.secret_reference_id`);
}

const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The secret mappings are not valid: ${why}.` }, { param });
