import {
  factorsIn,
  GatewayError,
  type IntegrationModel,
  type Integrations,
  isJson,
  type Json,
  openSecrets,
  type Price,
  type PriceFactors,
  priceIn,
  type RecordOf,
  type Vault,
} from "#contract";

/** What an integration says of the models that are asked of it, made ready once. */
export interface ModelRules {
  /** Models of which nothing is said may be asked. */
  readonly others: boolean;
  readonly known: ReadonlyMap<string, KnownModel>;
  /** What all prices are multiplied by. */
  readonly factors: PriceFactors | null;
}
export interface KnownModel {
  readonly enabled: boolean;
  /** Its own place, and what its requests carry. */
  readonly host: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly price: Price | null;
  /** Whose list price counts where nobody lists its own. */
  readonly base: string | null;
}
type Integration = Pick<RecordOf<typeof Integrations>, "allow_all_models" | "models" | "pricing_adjustments">;

/** `null` where it says nothing: most do not. */
export function modelRulesOf(
  { allow_all_models, models, pricing_adjustments }: Integration,
  vault: Pick<Vault, "open">,
): ModelRules | null {
  const factors = factorsIn(pricing_adjustments);
  if (allow_all_models && !models?.length && factors === null) return null;
  return { others: allow_all_models, known: new Map(models?.map((model) => [model.slug, knownModel(model, vault)])), factors };
}

function knownModel(
  { enabled, base_model_slug: base, pricing_config: pricing, configurations }: IntegrationModel,
  vault: Pick<Vault, "open">,
): KnownModel {
  const { custom_host: host, custom_headers: headers }: Json = configurations ? openSecrets(configurations, vault) : {};
  return {
    enabled,
    host: typeof host === "string" ? host : null,
    headers: isJson(headers) ? (headers as Record<string, string>) : null, // texts, by the schema they were judged by
    price: pricing ? priceIn(pricing) : null,
    base,
  };
}

/** Throws MODEL_FORBIDDEN for a model that may not be asked of the provider. */
export function judgeModel(model: string, { others, known }: ModelRules, provider: string): void {
  const found = known.get(model);
  if (found?.enabled ?? others) return;
  const why = found ? "it is disabled there" : "it is none of those that its integration allows";
  throw forbidden(`The model ${model.slice(0, 200)}`, provider, why);
}

/** Throws for a request that names no model where not every one may be asked: its provider would choose one. */
export function judgeNamelessRequest(rules: ModelRules, provider: string): void {
  if (restricts(rules)) throw forbidden("A request that names no model", provider, "its integration allows some models only");
}

/** A batch names its models in its file, line by line, where nobody reads them. */
export function judgeBatch(rules: ModelRules, provider: string): void {
  if (restricts(rules)) throw forbidden("The models in the file of a batch", provider, "its integration allows some models only");
}
/** Are there models that may not be asked? */
export const restricts = ({ others, known }: ModelRules): boolean => !others || known.values().some(({ enabled }) => !enabled);

const forbidden = (what: string, provider: string, why: string): GatewayError =>
  new GatewayError("MODEL_FORBIDDEN", { what, provider, why }, { param: "model" });
