import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type RuleInput, GatewayError, isSealed, type Json, knownNames, openSecrets, sealSecrets } from "#contract";

/** Members of `configurations` that every provider has. */
const COMMON: ReadonlySet<string> = new Set(["custom_host"]);

/**
 * Judges the target fields by the provider's own schema and seals those it calls secret. Secrets left out, or sent
 * back as they were shown, keep their stored value; `null` takes one away.
 */
export function sealedConfigurations(
  providerId: string,
  given: Json,
  asked: Pick<RuleInput, "catalog" | "vault" | "judgeUrl">,
  before: Json = {},
): Json {
  const { catalog, vault, judgeUrl } = asked;
  const provider = catalog.providers().find(({ id }) => id === providerId);
  if (!provider) {
    const ids = catalog.providers().map(({ id }) => id);
    const known = knownNames("Enabled providers", providerId, ids);
    throw new GatewayError("PROVIDER_UNKNOWN", { provider: providerId, known }, { param: "ai_provider_id" });
  }
  const fields = provider.target?.properties ?? {};
  const isSecret = (member: string): boolean => fields[member]?.["secret"] === true;
  const all = { ...secretsOf(before), ...sealSecrets(given, isSecret, vault, before) };
  const sealed = Object.fromEntries(Object.entries(all).filter(([member, value]) => value !== null || !isSecret(member)));
  judge(openSecrets(sealed, vault), provider.target, judgeUrl);
  return sealed;
}

const secretsOf = (stored: Json): Json => Object.fromEntries(Object.entries(stored).filter(([, value]) => isSealed(value) && !value.url));

function judge(plain: Json, target: TObject | undefined, judgeUrl: RuleInput["judgeUrl"]): void {
  const { custom_host: host, ...fields } = plain;
  if (host !== undefined && !(target && "custom_host" in target.properties)) judgeHost(host, judgeUrl);
  const known = Object.keys(target?.properties ?? {});
  const unknown = Object.keys(fields).find((member) => !known.includes(member) && !COMMON.has(member));
  if (unknown !== undefined)
    throw invalid(`the provider has no field ${unknown}; it has ${[...known, ...COMMON].join(", ")}`, `configurations.${unknown}`);
  const problem = target && Value.Errors(target, Value.Default(target, structuredClone(fields))).First();
  if (problem)
    throw invalid(
      `${problem.path.slice(1)}: ${problem.message.toLowerCase()}`,
      `configurations.${problem.path.slice(1).replaceAll("/", ".")}`,
    );
}

function judgeHost(host: unknown, judgeUrl: RuleInput["judgeUrl"]): void {
  if (typeof host !== "string") throw invalid("custom_host must be a URL", "configurations.custom_host");
  judgeUrl(host);
}

const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The configurations are not valid: ${why}.` }, { param });
