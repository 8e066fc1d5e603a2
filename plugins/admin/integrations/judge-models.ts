import {
  GatewayError,
  type GivenModel,
  type IntegrationModel,
  type Integrations,
  isJson,
  type Json,
  nextTurn,
  openUrls,
  type RecordOf,
  refuseMovedInRecord,
  type RuleInput,
  sealedIn,
  sealSecrets,
} from "#contract";
import { judgeHeaders } from "./custom-headers.ts";
import { mapsSecret } from "./mappings.ts";

type Integration = RecordOf<typeof Integrations>;
type Input = Pick<RuleInput<{ readonly key?: string }>, "vault" | "catalog" | "judgeUrl" | "body">;
/** Opening them is work at every change of the integration. */
const MAX_HEADERS = 1_000;

/** Sealing what a model has is long work: others have their turn between so many. */
const MODELS_AT_ONCE = 20;

/** The models as they are stored: all judged, none written. */
export async function judgedModels(given: readonly GivenModel[], record: Integration, input: Input): Promise<readonly IntegrationModel[]> {
  refuseManyHeaders(given, record);
  const stored = new Map(record.models?.map((model) => [model.slug, model]));
  const judged = new Map<string, IntegrationModel>();
  for (const [index, model] of given.entries()) {
    const at = `models[${index}]`;
    if (judged.has(model.slug)) throw invalid("it is named twice", `${at}.slug`);
    judged.set(model.slug, judgedModel(model, { record, input, at, before: stored.get(model.slug) }));
    if (judged.size % MODELS_AT_ONCE === 0) await nextTurn();
  }
  return [...judged.values()];
}

/** As they would be kept, counted before any of them is judged or sealed: that is work, too. */
function refuseManyHeaders(given: readonly GivenModel[], { models }: Integration): void {
  const counts = new Map(models?.map(({ slug, configurations }) => [slug, headersIn(configurations)]));
  const said = given.flatMap(({ slug, configurations }) => (configurations === undefined ? [] : [{ slug, of: headersIn(configurations) }]));
  for (const { slug, of } of said) counts.set(slug, of);
  if (said.every(({ of }) => of === 0)) return; // it has no more than it had
  const all = counts.values().reduce((sum, count) => sum + count, 0);
  if (all > MAX_HEADERS) throw invalid(`its models have more than ${MAX_HEADERS} headers`, "models");
}
const headersIn = (configurations: Json | null): number => Object.keys(configurations?.["custom_headers"] ?? {}).length;

interface Place {
  readonly record: Integration;
  readonly input: Input;
  /** Its path in the body. */
  readonly at: string;
  readonly before: IntegrationModel | undefined;
}
const UNSAID: Omit<IntegrationModel, "slug" | "enabled"> = {
  is_custom: false,
  is_finetune: false,
  base_model_slug: null,
  pricing_config: null,
  configurations: null,
};
function judgedModel({ configurations, ...given }: GivenModel, place: Place): IntegrationModel {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const kept = { ...UNSAID, ...place.before, ...said, slug: given.slug, enabled: given.enabled };
  const is_finetune = kept.is_finetune === true;
  const model: IntegrationModel = {
    ...kept,
    is_finetune,
    is_custom: kept.is_custom === true || is_finetune,
    configurations: storedConfigurations(configurations, place),
  };
  judgeKind(model, given, place.at);
  return model;
}

/** What belongs to models of one's own, the provider's have not. */
function judgeKind(model: IntegrationModel, given: Pick<GivenModel, "is_custom">, at: string): void {
  if (model.is_finetune && given.is_custom === false) throw invalid("a fine-tuned model is a custom one", `${at}.is_custom`);
  if (model.is_finetune && model.base_model_slug === null)
    throw invalid("a fine-tuned model says what it was made from", `${at}.base_model_slug`);
  if (model.is_custom) return;
  if (model.base_model_slug !== null) throw invalid("only a custom model has a base: set is_custom", `${at}.base_model_slug`);
  if (model.configurations !== null) throw invalid("only a custom model has configurations: set is_custom", `${at}.configurations`);
}

/** Its host, and its headers sealed; `null` where it has neither. */
function storedConfigurations(given: GivenModel["configurations"], { record, input, at, before }: Place): Json | null {
  const stored = before?.configurations ?? null;
  if (given === undefined) return stored;
  const { vault, catalog, judgeUrl } = input;
  const param = `${at}.configurations`;
  const { custom_host: host = null, custom_headers: headers = null } = given ?? {};
  if (host !== null) judgeUrl(host);
  judgeHeaders(headers ?? {}, `${param}.custom_headers`, { catalog, vault });
  const known: Json = isJson(stored?.["custom_headers"]) ? stored["custom_headers"] : {};
  const next = {
    ...(host !== null && sealSecrets({ custom_host: host }, () => false, vault, stored ?? {})),
    ...(headers && { custom_headers: sealSecrets(headers, () => true, vault, known) }),
  };
  refuseMovedInRecord({ before: openUrls(stored ?? {}, vault), next: openUrls(next, vault), bound: ["custom_host"] });
  if (host !== null && hostIn(stored, vault) !== host) judgeKeysWay(host, record, input, `${param}.custom_host`);
  return Object.keys(next).length === 0 ? null : next;
}

const hostIn = (configurations: Json | null, vault: Input["vault"]): unknown => openUrls(configurations ?? {}, vault)["custom_host"];

/** Whoever may edit an integration need not know its key, and must not be able to have it sent elsewhere. */
function judgeKeysWay(host: string, record: Integration, { body, vault, catalog }: Input, at: string): void {
  const { key_sealed: sealed, configurations } = record;
  const goesTo = hostIn(configurations, vault);
  if (goesTo === host) return;
  const knowsKey = sealed !== null && body.key !== undefined && vault.digest(body.key) === vault.digest(vault.open(sealed));
  const stays = typeof goesTo === "string" && originOf(goesTo) === originOf(host);
  if (sealedIn(configurations).length > 0 && !(stays && knowsKey))
    throw invalid("the secrets in the integration's configurations do not go to another place; make an integration of its own for it", at);
  if (mapsSecret(record, { catalog }))
    throw invalid("what the integration's secret_mappings give does not go to another place; make an integration of its own for it", at);
  if (sealed === null || knowsKey) return;
  throw invalid("the integration's stored key does not go to another host or path, unless it is given again in the member key", at);
}
const originOf = (url: string): string => new URL(url).origin; // both were judged

const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The model cannot be saved: ${why}.` }, { param });
