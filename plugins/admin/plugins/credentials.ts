import type { TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  ApiKeys,
  gatewayKeyGiven,
  GatewayError,
  hasKeyForm,
  isBound,
  isSealed,
  type Json,
  knownNames,
  type MappedSecret,
  mappedFrom,
  mappedInside,
  openSecrets,
  openUrls,
  type PluginCredentials,
  type RecordOf,
  refuseGatewayKey,
  refuseMovedInRecord,
  type RuleInput,
  sealSecrets,
  type SecretUpdate,
  storedMappings,
  type Written,
} from "#contract";

type Account = RecordOf<typeof PluginCredentials>;
type CredentialsInput = RuleInput<Written<(typeof PluginCredentials)["fields"]>>;

/** Credentials as they are stored: judged by the plugin's own schema, with its secrets sealed, and going where they went. */
export async function storedCredentials(given: Json, input: CredentialsInput, record: Account | undefined): Promise<Json> {
  const { catalog, vault, judgeUrl } = input;
  const schema = schemaOf(record?.plugin_id ?? input.body.plugin_id ?? "", catalog.credentials());
  const { secret_mappings: said } = input.body;
  const mappings = said === undefined ? (record?.secret_mappings ?? null) : await credentialMappings(said, input, record);
  const isSecret = (member: string): boolean => schema.properties[member]?.["secret"] === true;
  await refuseGatewayKeys(
    Object.entries(given).filter(([member]) => isSecret(member)),
    input,
  );
  const before = record?.credentials ?? {};
  const all = { ...secretsIn(before), ...sealSecrets(given, isSecret, vault, before) };
  const next = Object.fromEntries(Object.entries(all).filter(([member, value]) => value !== null || !isSecret(member)));
  judge(openSecrets(next, vault), withoutMapped(schema, mappedInside(mappings, INSIDE)), judgeUrl);
  refuseMovedAccount({ before: placed(before, record?.secret_mappings, vault), next: placed(next, mappings, vault) }, schema);
  return next;
}

/** Mappings as they are stored. One that says where a secret goes does not change while that is kept. */
export async function credentialMappings(
  given: readonly MappedSecret[] | null,
  input: CredentialsInput,
  record: Account | undefined,
): Promise<MappedSecret[] | null> {
  const schema = schemaOf(record?.plugin_id ?? input.body.plugin_id ?? "", input.catalog.credentials());
  const fields = Object.keys(schema.properties).map((member) => INSIDE + member);
  const stored = await storedMappings(given, { fields, of: "the plugin's account" }, input);
  if (!record || input.body.credentials !== undefined) return stored;
  const { credentials, secret_mappings: before } = record;
  refuseMovedAccount({ before: placed(credentials, before, input.vault), next: placed(credentials, stored, input.vault) }, schema);
  const mapped = mappedInside(stored, INSIDE);
  judge(openSecrets(credentials, input.vault), withoutMapped(schema, mapped), input.judgeUrl);
  return stored;
}
const INSIDE = "credentials.";

/** What is kept elsewhere need not be here too. */
const withoutMapped = (schema: TObject, mapped: ReadonlySet<string>): TObject => ({
  ...schema,
  required: (schema.required ?? []).filter((member) => !mapped.has(member)),
});

/** An account with where its mapped members come from, in the place of what they are. */
const placed = (credentials: Json, mappings: readonly MappedSecret[] | null | undefined, vault: CredentialsInput["vault"]): Json => ({
  ...openUrls(credentials, vault),
  ...Object.fromEntries((mappings ?? []).map((mapping) => [mapping.target_field.slice(INSIDE.length), mappedFrom(mapping)])),
});

function refuseMovedAccount(update: Pick<SecretUpdate, "before" | "next">, schema: TObject): void {
  const bound = Object.entries(schema.properties).flatMap(([member, of]) => (isBound(of) ? member : []));
  refuseMovedInRecord({ ...update, bound });
}

/** Keys that the gateway made are known by their form; one that an operator chose, by its record. */
async function refuseGatewayKeys(secrets: readonly (readonly [string, unknown])[], input: CredentialsInput): Promise<void> {
  for (const [member, value] of secrets) {
    if (typeof value !== "string" || value.length > MAX_KEY) continue;
    const param = `credentials.${member}`;
    refuseGatewayKey(value, input.vault, param);
    const words = value.trim().split(/\s+/).slice(0, MAX_WORDS); // a scheme and a key
    for (const word of words) if (hasKeyForm(word) && (await isKept(word, input))) throw gatewayKeyGiven(param);
  }
}
const MAX_KEY = 256;
const MAX_WORDS = 2;
const isKept = async (key: string, { vault, records }: CredentialsInput): Promise<boolean> =>
  (await records.in(ApiKeys).list({ where: { digest: vault.digest(key) }, limit: 1, offset: 0 })).data.length > 0;

function schemaOf(pluginId: string, schemas: ReadonlyMap<string, TObject>): TObject {
  const schema = schemas.get(pluginId);
  if (schema) return schema;
  const known = knownNames("Running plugins that take credentials", pluginId, [...schemas.keys()]);
  throw new GatewayError("REQUEST_INVALID", { what: `No running plugin ${pluginId} takes credentials. ${known}` }, { param: "plugin_id" });
}

const secretsIn = (stored: Json): Json => Object.fromEntries(Object.entries(stored).filter(([, value]) => isSealed(value) && !value.url));

function judge(plain: Json, schema: TObject, judgeUrl: CredentialsInput["judgeUrl"]): void {
  const members = Object.keys(schema.properties);
  const unknown = Object.keys(plain).find((member) => !members.includes(member));
  if (unknown !== undefined) throw invalid(`the plugin has no member ${unknown.slice(0, 80)}; it has ${members.join(", ")}`, unknown);
  const problem = Value.Errors(schema, plain).First();
  if (problem) throw invalid(`${memberAt(problem.path)}: ${problem.message.toLowerCase()}`, memberAt(problem.path));
  for (const [member, value] of Object.entries(plain)) if (isAddress(schema.properties[member])) judgeUrl(String(value));
}
const memberAt = (path: string): string => path.slice(1).replaceAll("/", ".");
const isAddress = (of: TSchema | undefined): boolean => of?.["format"] === "uri";

const invalid = (why: string, member: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The credentials are not valid: ${why}.` }, { param: `credentials.${member}` });
