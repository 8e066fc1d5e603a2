import type { TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type RuleInput,
  GatewayError,
  isJson,
  isSealed,
  type Json,
  knownNames,
  type MemberFlaw,
  memberFlaw,
  OAUTH_MEMBERS,
  OAuthClient,
  openSecrets,
  refuseGatewayKey,
  sealSecrets,
  unknownMember,
} from "#contract";
import { judgeHeaders } from "./custom-headers.ts";

/** Members of `configurations` that every provider has. */
const COMMON: ReadonlySet<string> = new Set(["custom_host", "custom_headers", ...OAUTH_MEMBERS]);

/**
 * Judges the target fields by the provider's own schema and seals those it calls secret. Secrets left out, or sent
 * back as they were shown, keep their stored value; `null` takes one away.
 */
export function sealedConfigurations(
  providerId: string,
  given: Json,
  input: Pick<RuleInput, "catalog" | "vault" | "judgeUrl">,
  mapped: ReadonlySet<string>,
  before: Json = {},
): Json {
  const { catalog, vault, judgeUrl } = input;
  const provider = catalog.providers().find(({ id }) => id === providerId);
  if (!provider) {
    const ids = catalog.providers().map(({ id }) => id);
    const hint = knownNames("Enabled providers", providerId, ids);
    throw new GatewayError("PROVIDER_UNKNOWN", { provider: providerId, known: hint }, { param: "ai_provider_id" });
  }
  const fields = provider.target?.properties ?? {};
  const isSecret = (member: string): boolean => (fields[member] ?? OAUTH_FIELDS[member])?.["secret"] === true;
  for (const [member, value] of Object.entries(given))
    if (isSecret(member) && typeof value === "string") refuseGatewayKey(value, vault, `configurations.${member}`);
  const { custom_headers: headers, ...others } = given;
  const { custom_headers: headersBefore, ...othersBefore } = before;
  const kept = sealedHeaders(headers, isJson(headersBefore) ? headersBefore : undefined, input);
  const all = { ...secretsOf(othersBefore), ...sealSecrets(others, isSecret, vault, othersBefore), ...(kept && { custom_headers: kept }) };
  const sealed = Object.fromEntries(Object.entries(all).filter(([member, value]) => value !== null || !isSecret(member)));
  const plain = openSecrets(sealed, vault);
  judge(plain, withoutMapped(provider.target, mapped), judgeUrl);
  judgeClient(plain, mapped, judgeUrl);
  return sealed;
}

/** Each may hold a credential. Left out they stay; `null` takes them away. */
function sealedHeaders(
  given: unknown,
  before: Json | undefined,
  { vault, catalog }: Pick<RuleInput, "catalog" | "vault">,
): Json | undefined {
  if (given === undefined) return before;
  if (given === null) return undefined;
  if (!isJson(given)) throw invalid("custom_headers must be an object of texts", "configurations.custom_headers");
  if (Object.keys(given).length > MAX_HEADERS)
    throw invalid(`custom_headers holds more than ${MAX_HEADERS} headers`, "configurations.custom_headers");
  judgeHeaders(given, "configurations.custom_headers", { catalog, vault });
  return sealSecrets(given, () => true, vault, before);
}
const MAX_HEADERS = 50;

/** What is kept elsewhere need not be here too. */
const withoutMapped = <T extends TObject | undefined>(target: T, mapped: ReadonlySet<string>): T =>
  target && { ...target, required: (target.required ?? []).filter((member) => !mapped.has(member)) };

const secretsOf = (stored: Json): Json => Object.fromEntries(Object.entries(stored).filter(([, value]) => isSealed(value) && !value.url));

function judge(plain: Json, target: TObject | undefined, judgeUrl: RuleInput["judgeUrl"]): void {
  const { custom_host: host, custom_headers: _, ...others } = plain;
  const fields = Object.fromEntries(Object.entries(others).filter(([member]) => !OAUTH_MEMBERS.has(member)));
  if (host !== undefined && !(target && "custom_host" in target.properties)) judgeHost(host, judgeUrl);
  const fieldNames = Object.keys(target?.properties ?? {});
  const unknown = Object.keys(fields).find((member) => !fieldNames.includes(member) && !COMMON.has(member));
  if (unknown !== undefined) throw flawed({ member: unknown, why: unknownMember(unknown, [...fieldNames, ...COMMON]) });
  const flaw = target && memberFlaw(target, Value.Default(target, structuredClone(fields)) as Json); // an object stays one
  if (flaw) throw flawed(flaw);
}

const OAUTH_FIELDS: Readonly<Record<string, TSchema>> = OAuthClient.properties;
/** A client is whole, or there is none. */
function judgeClient(plain: Json, mapped: ReadonlySet<string>, judgeUrl: RuleInput["judgeUrl"]): void {
  const client = Object.fromEntries(Object.entries(plain).filter(([member]) => OAUTH_MEMBERS.has(member)));
  if (Object.keys(client).length === 0 && ![...mapped].some((member) => OAUTH_MEMBERS.has(member))) return;
  const flaw = memberFlaw(withoutMapped(OAuthClient, mapped), client);
  if (flaw) throw flawed(flaw);
  const { oauth_token_endpoint: endpoint } = client;
  if (typeof endpoint === "string") judgeUrl(endpoint);
}

function judgeHost(host: unknown, judgeUrl: RuleInput["judgeUrl"]): void {
  if (typeof host !== "string") throw invalid("custom_host must be a URL", "configurations.custom_host");
  judgeUrl(host);
}

const flawed = ({ member, why }: MemberFlaw): GatewayError => invalid(`${member}: ${why}`, `configurations.${member}`);
const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The configurations are not valid: ${why}.` }, { param });
