import { after, type Integrations, type MaybePromise, type RecordOf, type TenantIds } from "#contract";
import { type MappedValue, mappedValues } from "../../kernel/secrets/mapped.ts";
import type { ReadReference } from "../../kernel/secrets/references.ts";
import type { Credential } from "./saved-providers.ts";

type Mappings = NonNullable<RecordOf<typeof Integrations>["secret_mappings"]>;
const INSIDE = "configurations.";

/** The credential with the members that are kept in managers of secrets; at once where they have been read before. */
export const withMapped = (saved: Credential, mappings: Mappings, owner: TenantIds, read: ReadReference): MaybePromise<Credential> =>
  after(mappedValues(mappings, owner, read), (values) => values.reduce(withMember, saved));

function withMember(credential: Credential, [field, value]: MappedValue): Credential {
  if (field === "key") return { ...credential, apiKey: typeof value === "string" ? value : JSON.stringify(value) };
  const name = field.startsWith(INSIDE) ? field.slice(INSIDE.length) : field;
  return { ...credential, fields: { ...credential.fields, [name]: value } };
}
