import { type RecordOf, type RuleInput, SecretReferences, type Where } from "#contract";

type Reference = RecordOf<typeof SecretReferences>;
interface Asked {
  readonly tags?: string;
  readonly search?: string;
}
/** As many as an organisation is looked through for a word. */
const MOST = 10_000;

/** Those that a word and tags fit: databases compare whole members only. */
export async function matching({ query, records, caller }: RuleInput<undefined, Asked>): Promise<Where<Reference>> {
  if (query.tags === undefined && query.search === undefined) return {};
  const where = { organisation_id: caller.organisationId };
  const { data } = await records.in(SecretReferences).list({ where, limit: MOST, offset: 0, omit: ["auth_config"] });
  const word = (query.search ?? "").toLowerCase();
  const tags = tagsIn(query.tags ?? "");
  const fits = ({ name, slug, description, tags: own }: Reference): boolean =>
    [name, slug, description ?? ""].some((text) => text.toLowerCase().includes(word)) && tags.every(([tag, value]) => own?.[tag] === value);
  return { id: data.filter(fits).map(({ id }) => id) };
}

const tagsIn = (text: string): readonly (readonly [string, string])[] =>
  text
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const colon = pair.indexOf(":");
      return colon < 0 ? ([pair, ""] as const) : ([pair.slice(0, colon).trim(), pair.slice(colon + 1).trim()] as const);
    });
