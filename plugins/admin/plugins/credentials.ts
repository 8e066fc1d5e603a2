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
  openSecrets,
  openUrls,
  type PluginCredentials,
  type RecordOf,
  refuseGatewayKey,
  refuseMovedInRecord,
  type RuleInput,
  sealSecrets,
  type Written,
} from "#contract";

type CredentialsInput = RuleInput<Written<(typeof PluginCredentials)["fields"]>>;

/** Credentials as they are stored: judged by the plugin's own schema, with its secrets sealed, and going where they went. */
export async function storedCredentials(
  given: Json,
  input: CredentialsInput,
  record: RecordOf<typeof PluginCredentials> | undefined,
): Promise<Json> {
  const { catalog, vault, judgeUrl } = input;
  const schema = schemaOf(record?.plugin_id ?? input.body.plugin_id ?? "", catalog.credentials());
  const isSecret = (member: string): boolean => schema.properties[member]?.["secret"] === true;
  await refuseGatewayKeys(
    Object.entries(given).filter(([member]) => isSecret(member)),
    input,
  );
  const before = record?.credentials ?? {};
  const all = { ...secretsIn(before), ...sealSecrets(given, isSecret, vault, before) };
  const next = Object.fromEntries(Object.entries(all).filter(([member, value]) => value !== null || !isSecret(member)));
  judge(openSecrets(next, vault), schema, judgeUrl);
  const bound = Object.entries(schema.properties).flatMap(([member, of]) => (isBound(of) ? member : []));
  refuseMovedInRecord({ before: openUrls(before, vault), next: openUrls(next, vault), bound });
  return next;
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
