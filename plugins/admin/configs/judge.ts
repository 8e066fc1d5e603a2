import {
  type RuleInput,
  GatewayError,
  type GuardrailTarget,
  Guardrails,
  isJson,
  type Json,
  judgeCheck,
  knownNames,
  messageOf,
} from "#contract";
import { checksOf, GUARDRAIL_MEMBERS, type InlineCheck } from "./inline.ts";

type JudgeInput = Pick<RuleInput, "catalog" | "records" | "judgeUrl" | "organisationId" | "workspaceId">;

/** Throws unless this config could be obeyed: its size and shape are the catalogue's work, what it refers to is judged here. */
export async function judgeConfig(config: Json, input: JudgeInput): Promise<void> {
  input.catalog.judgeConfig(config);
  const named = new Map<string, string>(); // guardrail -> where it is named first
  for (const level of levels(config, "config")) await judgeLevel(level, input, named);
  await judgeNames(named, input);
}

interface Level {
  readonly at: string;
  readonly is: Json;
}
/** The config and every target below it. */
function* levels(is: Json, at: string): Generator<Level> {
  yield { at, is };
  for (const [i, target] of targetsOf(is).entries()) yield* levels(target, `${at}.targets[${i}]`);
}
const targetsOf = (level: Json): readonly Json[] => (Array.isArray(level["targets"]) ? level["targets"].filter(isJson) : []);

const invalid = (why: string, param: string): GatewayError => new GatewayError("CONFIG_INVALID", { why }, { param });

async function judgeLevel(level: Level, input: JudgeInput, named: Map<string, string>): Promise<void> {
  judgeProvider(level, input);
  judgeHost(level, input);
  judgeForwarded(level, input);
  for (const member of GUARDRAIL_MEMBERS) await judgeGuardrails(level, member, input, named);
}

/** A saved provider (`@slug`) may be made later, and one that is off be turned on; what no plugin is called can never be meant. */
function judgeProvider({ at, is: { provider } }: Level, { catalog }: JudgeInput): void {
  if (typeof provider !== "string" || provider.startsWith("@")) return;
  const ids = catalog.providerIds();
  if (ids.includes(provider)) return;
  const hint = `${knownNames("Providers", provider, ids)} A saved one is written @slug.`;
  throw new GatewayError("PROVIDER_UNKNOWN", { provider: provider.slice(0, 200), known: hint }, { param: `${at}.provider` });
}

function judgeHost({ at, is }: Level, { judgeUrl }: JudgeInput): void {
  if (typeof is["custom_host"] !== "string") return;
  try {
    judgeUrl(is["custom_host"]);
  } catch (thrown) {
    throw invalid(`${at}.custom_host may not be called: ${messageOf(thrown)}`, `${at}.custom_host`);
  }
}

/** What no request could have forwarded is refused here, before one tries. */
function judgeForwarded({ at, is }: Level, { catalog }: JudgeInput): void {
  const names: readonly unknown[] = Array.isArray(is["forward_headers"]) ? is["forward_headers"] : [];
  names.forEach((given, i) => {
    const name = String(given).toLowerCase();
    const param = `${at}.forward_headers[${i}]`;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw invalid(`${param} is not a header name`, param);
    if (!catalog.headers.of(name).forwardedToProvider) throw invalid(`${param}: the header ${name} may not be forwarded`, param);
  });
}

async function judgeGuardrails(
  { at, is }: Level,
  member: (typeof GUARDRAIL_MEMBERS)[number],
  input: JudgeInput,
  named: Map<string, string>,
): Promise<void> {
  const entries: readonly unknown[] = Array.isArray(is[member]) ? is[member] : [];
  for (const [i, entry] of entries.entries()) {
    const param = `${at}.${member}[${i}]`;
    if (typeof entry === "string") named.set(entry, named.get(entry) ?? param);
    else if (isJson(entry)) await judgeInline(entry, input, param);
  }
}

/** Different ones, in a config and all its targets. */
const MAX_GUARDRAILS = 1_000;
const TARGET: GuardrailTarget = "llm";

async function judgeInline(inline: Json, input: JudgeInput, at: string): Promise<void> {
  const checks = checksOf(inline, at);
  if (checks.length === 0) throw invalid(`${at} names no check`, at);
  for (const check of checks) await judgeCheck({ id: check.id, parameters: parametersOf(check) }, TARGET, input, check.at);
}
function parametersOf({ parameters, at }: InlineCheck): Json {
  if (isJson(parameters)) return parameters;
  throw invalid(`${at} and its parameters must be objects`, at);
}

/** Guardrails a config names must exist, in its workspace or at the organisation's level. */
async function judgeNames(named: ReadonlyMap<string, string>, { records, organisationId, workspaceId }: JudgeInput): Promise<void> {
  if (named.size === 0) return;
  if (named.size > MAX_GUARDRAILS) throw invalid(`it names ${named.size} guardrails, at most ${MAX_GUARDRAILS} are allowed`, "config");
  const names = [...named.keys()];
  const reach = { organisation_id: organisationId, workspace_id: [workspaceId, null], status: "active" as const };
  const guardrails = records.in(Guardrails);
  const [bySlug, byId] = await Promise.all([
    guardrails.list({ where: { ...reach, slug: names }, limit: names.length, offset: 0 }),
    guardrails.list({ where: { ...reach, id: names }, limit: names.length, offset: 0 }),
  ]);
  const found = new Set([...bySlug.data.map(({ slug }) => slug), ...byId.data.map(({ id }) => id)]);
  for (const [name, param] of named) if (!found.has(name)) throw new GatewayError("GUARDRAIL_UNKNOWN", { guardrail: name }, { param });
}
