import { after, all, GatewayError, type MappedSecret, type MaybePromise, parseJson, type TenantIds } from "#contract";
import type { ReadReference } from "./references.ts";

/** A field of a record, and what its reference gives. */
export type MappedValue = readonly [field: string, value: unknown];

/** What the mapped fields of a record hold, in the mappings' order; at once where all have been read before. */
export const mappedValues = (
  mappings: readonly MappedSecret[],
  { organisationId, workspaceId }: TenantIds,
  read: ReadReference,
): MaybePromise<readonly MappedValue[]> =>
  all(
    mappings.map((mapping) => {
      const { target_field: field, secret_reference_id: referenceId, secret_key: key = null, value_format: format } = mapping;
      return after(
        read({ referenceId, key, organisationId, workspaceId }),
        (text): MappedValue => [field, format === "json" ? parsed(mapping, text) : text],
      );
    }),
  );

function parsed({ secret_reference_id: reference, target_field: field }: MappedSecret, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new GatewayError("SECRET_ABSENT", { reference, why: `what is kept there for ${field} is no JSON` }); // the parser's words hold a part of it
  }
}
