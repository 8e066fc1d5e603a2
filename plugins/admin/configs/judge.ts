import { Value } from "@sinclair/typebox/value";
import {
  type Asked,
  CONFIG_MEMBERS,
  GatewayError,
  type GuardrailTarget,
  Guardrails,
  isJson,
  type Json,
  judgeCheck,
  messageOf,
  METADATA_HEADERS,
} from "#contract";
import { checksOf, GUARDRAIL_MEMBERS, type InlineCheck } from "./inline.ts";

type Judge = Pick<Asked, "catalog" | "records" | "judgeUrl" | "organisationId" | "workspaceId">;

/** Targets a level may have (routing-config fact sheet 11). */
const MAX_ROOT_TARGETS = 100;
const MAX_CONDITIONAL_TARGETS = 1000;
const MAX_NESTED_TARGETS = 50;

/** Throws unless this config could be obeyed: its shape is the schema's work, what it refers to is judged here. */
export async function judgeConfig(config: Json, asked: Judge): Promise<void> {
  const named = new Map<string, string>(); // guardrail -> where it is named first
  for (const level of levels(config, "config")) judgeLevel(level, asked, named);
  await judgeNames(named, asked);
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

function judgeLevel(level: Level, asked: Judge, named: Map<string, string>): void {
  judgeMembers(level, asked);
  judgeStrategy(level, asked);
  judgeHost(level, asked);
  judgeForwarded(level);
  for (const member of GUARDRAIL_MEMBERS) judgeGuardrails(level, member, asked, named);
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(["name", "weight"]);

/** Members beside the config's own are fields of a provider's target: of the provider named, else of any. */
function judgeMembers({ at, is }: Level, { catalog }: Judge): void {
  if (Object.keys(is).every((member) => SAYS_NOTHING.has(member)))
    throw invalid(`${at} says nothing about where to send or what to do`, at);
  const providers = catalog.providers();
  const own = providers.filter(({ id }) => id === is["provider"]);
  const targets = (own.length > 0 ? own : providers).map(({ target }) => target?.properties ?? {});
  for (const [member, value] of Object.entries(is)) {
    if (CONFIG_MEMBERS.has(member)) continue;
    const schemas = targets.flatMap((fields) => (Object.hasOwn(fields, member) ? [fields[member]] : []));
    const whose = own[0]?.title ?? "any enabled provider";
    if (schemas.length === 0) throw invalid(`${at}.${member} is no member of a config, nor a field of ${whose}`, `${at}.${member}`);
    if (!schemas.some((schema) => schema && Value.Check(schema, value)))
      throw invalid(`${at}.${member} is not a value this field takes`, `${at}.${member}`);
  }
}

function judgeStrategy({ at, is }: Level, { catalog }: Judge): void {
  const strategy = isJson(is["strategy"]) ? is["strategy"] : undefined;
  if (strategy && targetsOf(is).length === 0) throw invalid(`${at}.strategy needs targets to choose among`, `${at}.targets`);
  const mode = String(strategy?.["mode"] ?? "single");
  const known = catalog.strategies();
  if (strategy && !known.includes(mode))
    throw new GatewayError("STRATEGY_UNKNOWN", { mode, modes: known.join(", ") }, { param: `${at}.strategy.mode` });
  const cap = at !== "config" ? MAX_NESTED_TARGETS : mode === "conditional" ? MAX_CONDITIONAL_TARGETS : MAX_ROOT_TARGETS;
  const count = targetsOf(is).length;
  if (count > cap) throw invalid(`${at}.targets has ${count} items, at most ${cap} are allowed`, `${at}.targets`);
}

function judgeHost({ at, is }: Level, { judgeUrl }: Judge): void {
  if (typeof is["custom_host"] !== "string") return;
  try {
    judgeUrl(is["custom_host"]);
  } catch (thrown) {
    throw invalid(`${at}.custom_host may not be called: ${messageOf(thrown)}`, `${at}.custom_host`);
  }
}

function judgeForwarded({ at, is }: Level): void {
  const names: readonly unknown[] = Array.isArray(is["forward_headers"]) ? is["forward_headers"] : [];
  names.forEach((given, i) => {
    const name = String(given).toLowerCase();
    const param = `${at}.forward_headers[${i}]`;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw invalid(`${param} is not a header name`, param);
    if (METADATA_HEADERS.has(name) || name === "x-gateway-forward-headers")
      throw invalid(`${param}: the header ${name} may not be forwarded`, param);
  });
}

function judgeGuardrails({ at, is }: Level, member: (typeof GUARDRAIL_MEMBERS)[number], asked: Judge, named: Map<string, string>): void {
  const entries: readonly unknown[] = Array.isArray(is[member]) ? is[member] : [];
  entries.forEach((entry, i) => {
    const param = `${at}.${member}[${i}]`;
    if (typeof entry === "string") named.set(entry, named.get(entry) ?? param);
    else if (isJson(entry)) judgeInline(entry, asked, param);
  });
}

const TARGET: GuardrailTarget = "llm";

function judgeInline(inline: Json, { catalog }: Judge, at: string): void {
  const checks = checksOf(inline, at);
  if (checks.length === 0) throw invalid(`${at} names no check`, at);
  for (const check of checks) judgeCheck({ id: check.id, parameters: parametersOf(check) }, TARGET, catalog, check.at);
}
function parametersOf({ parameters, at }: InlineCheck): Json {
  if (isJson(parameters)) return parameters;
  throw invalid(`${at} and its parameters must be objects`, at);
}

/** Specification 2.6: guardrails a config names must exist, in its workspace or at the organisation's level. */
async function judgeNames(named: ReadonlyMap<string, string>, { records, organisationId, workspaceId }: Judge): Promise<void> {
  if (named.size === 0) return;
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
