import {
  isBound,
  type Integrations,
  type Json,
  type MappableFields,
  type MappedSecret,
  mappedFrom,
  OAuthClient,
  openUrls,
  type RecordOf,
  type RuleInput,
  storedMappings,
  type Written,
} from "#contract";
import type { TSchema } from "@sinclair/typebox";
import { refuseMoved } from "./moved.ts";

type Integration = RecordOf<typeof Integrations>;
type Input = RuleInput<Written<(typeof Integrations)["fields"]>>;
/** What members of the configurations are called in mappings. */
export const INSIDE = "configurations.";

/** Mappings as they are stored. One that says where a credential goes, or whom it stands for, does not change while that is kept. */
export async function integrationMappings(
  given: readonly MappedSecret[] | null,
  input: Input,
  record: Integration | undefined,
): Promise<MappedSecret[] | null> {
  const stored = await storedMappings(given, mappableOf(record?.ai_provider_id ?? input.body.ai_provider_id ?? "", input), input);
  if (record && input.body.configurations === undefined) {
    const before = openUrls(record.configurations, input.vault);
    const target = targetOf(record.ai_provider_id, input);
    refuseMoved({
      before: placed(before, record.secret_mappings, target),
      next: placed(before, stored, target),
      keepsKey: keepsKey(record, input),
      target,
    });
  }
  return stored;
}

/** Does the update leave the key that is stored? */
export const keepsKey = ({ key_sealed: sealed, masked_key: masked }: Integration, { body: { key } }: Pick<Input, "body">): boolean =>
  sealed !== null && (key === undefined || key === masked);

/** Is its key, or a secret of its target, kept elsewhere? */
export const mapsSecret = (
  { ai_provider_id: provider, secret_mappings: mappings }: Integration,
  input: Pick<RuleInput, "catalog">,
): boolean => {
  const fields = { ...targetOf(provider, input)?.properties, ...CLIENT };
  return (mappings ?? []).some(({ target_field: to }) => to === "key" || fields[to.slice(INSIDE.length)]?.["secret"] === true);
};

/** Configurations with where their mapped bound members come from, in the place of what they are. */
export function placed(configurations: Json, mappings: readonly MappedSecret[] | null, target: Target): Json {
  const next = { ...configurations };
  for (const mapping of mappings ?? []) {
    const member = mapping.target_field.slice(INSIDE.length);
    const of = target?.properties[member] ?? CLIENT[member];
    if (of && isBound(of)) next[member] = mappedFrom(mapping);
  }
  return next;
}

/** Whichever the provider, its key may be a token that the gateway fetches. */
const { auth_type: _, ...CLIENT }: Readonly<Record<string, TSchema>> = OAuthClient.properties;

type Target = ReturnType<typeof targetOf>;
export const targetOf = (provider: string, { catalog }: Pick<RuleInput, "catalog">) =>
  catalog.providers().find(({ id }) => id === provider)?.target;

const mappableOf = (provider: string, input: Pick<RuleInput, "catalog">): MappableFields => ({
  fields: ["key", ...Object.keys({ ...targetOf(provider, input)?.properties, ...CLIENT }).map((field) => INSIDE + field)],
  of: "the provider",
});
