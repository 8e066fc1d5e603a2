import { after, type Caller, GatewayError, type Integrations, type Json, type MaybePromise, type RecordOf } from "#contract";
import type { ReadReference } from "../../kernel/secrets/references.ts";
import type { Credential } from "./saved-providers.ts";

type Mappings = NonNullable<RecordOf<typeof Integrations>["secret_mappings"]>;
type Mapping = Mappings[number];
const INSIDE = "configurations.";

/** The credential with the members that are kept in managers of secrets; at once where they have been read before. */
export function withMapped(saved: Credential, mappings: Mappings, caller: Caller, read: ReadReference): MaybePromise<Credential> {
  let whole: MaybePromise<Credential> = saved;
  for (const mapping of mappings) {
    whole = after(whole, (credential) => {
      const { secret_reference_id: referenceId, secret_key: key = null } = mapping;
      const { organisationId, workspaceId } = caller;
      return after(read({ referenceId, key, organisationId, workspaceId }), (text) => withMember(credential, mapping, text));
    });
  }
  return whole;
}

function withMember(credential: Credential, mapping: Mapping, text: string): Credential {
  const { target_field: field } = mapping;
  if (field === "key") return { ...credential, apiKey: text };
  const name = field.startsWith(INSIDE) ? field.slice(INSIDE.length) : field;
  const fields: Json = { ...credential.fields, [name]: mapping.value_format === "json" ? parsed(mapping, text) : text };
  return { ...credential, fields };
}

function parsed({ secret_reference_id: reference, target_field: field }: Mapping, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GatewayError("SECRET_ABSENT", { reference, why: `what is kept there for ${field} is no JSON` }); // the parser's words hold a part of it
  }
}
