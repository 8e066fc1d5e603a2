import type { Static } from "@sinclair/typebox";
import { GatewayError } from "./errors.ts";
import type { RuleInput } from "./resource.ts";
import { type SecretMapping, SecretReferences } from "./schema/secret-reference.ts";
import { isUuid } from "./uuid.ts";

/** Says that a field of a record is kept where a secret reference says. */
export type MappedSecret = Static<typeof SecretMapping>;

/** What of a record may be kept elsewhere. */
export interface MappableFields {
  /** Whole names: `configurations.<member>`. What stands behind the last dot may be named alone, where it is one of a kind. */
  readonly fields: readonly string[];
  /** Whose fields they are, for sentences: `the provider`. */
  readonly of: string;
}
type Input = Pick<RuleInput, "records" | "organisationId" | "workspaceId">;

/** Mappings as they are stored: each of a field of its own that may be mapped, and of a reference that the workspace may use. */
export async function storedMappings(
  given: readonly MappedSecret[] | null,
  mappable: MappableFields,
  input: Input,
): Promise<MappedSecret[] | null> {
  if (given === null) return null;
  const stored: MappedSecret[] = [];
  for (const [index, mapping] of given.entries()) {
    const at = `secret_mappings[${index}]`;
    const target_field = fieldMeant(mapping.target_field, mappable.fields);
    if (target_field === undefined) throw invalid(unknownField(mapping, mappable), `${at}.target_field`);
    if (stored.some((other) => other.target_field === target_field)) throw invalid(`${target_field} is mapped twice`, `${at}.target_field`);
    stored.push({ ...mapping, target_field, secret_reference_id: await referenceMeant(mapping, at, input) });
  }
  return stored;
}

/** The field by its whole name; `undefined` where there is none, or more than one that is named alone. */
export function fieldMeant(given: string, fields: MappableFields["fields"]): string | undefined {
  if (fields.includes(given)) return given;
  const [only, ...others] = fields.filter((field) => field.endsWith(`.${given}`));
  return others.length === 0 ? only : undefined;
}

/** The members inside of this part of a record that are kept elsewhere. */
export const mappedInside = (mappings: readonly MappedSecret[] | null | undefined, inside: string): ReadonlySet<string> =>
  new Set((mappings ?? []).flatMap(({ target_field: field }) => (field.startsWith(inside) ? [field.slice(inside.length)] : [])));

/** What a mapping says of where a value comes from: another one is another value. */
export const mappedFrom = ({ secret_reference_id: id, secret_key: key = null }: MappedSecret): string => JSON.stringify([id, key]);

const MAX_NAMED = 50;
const unknownField = ({ target_field: field }: MappedSecret, { fields, of }: MappableFields): string =>
  `${of} has no field ${field.slice(0, 80)}; what can be mapped is ${fields.slice(0, MAX_NAMED).join(", ") || "nothing"}`;

async function referenceMeant({ secret_reference_id: named }: MappedSecret, at: string, input: Input): Promise<string> {
  const where = { [isUuid(named) ? "id" : "slug"]: named, organisation_id: input.organisationId };
  const found = /^[\w-]+$/.test(named) ? await input.records.in(SecretReferences).first(where) : undefined;
  const isVisible =
    found && (found.allow_all_workspaces || input.workspaceId === null || found.allowed_workspaces.includes(input.workspaceId));
  if (found && isVisible) return found.id;
  throw invalid(`there is no secret reference ${named.slice(0, 80)} here`, `${at}.secret_reference_id`);
}

const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The secret mappings are not valid: ${why}.` }, { param });
