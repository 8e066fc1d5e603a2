import {
  GatewayError,
  Guardrails,
  Integrations,
  type MappedSecret,
  PluginCredentials,
  type RecordOf,
  type Records,
  type RuleInput,
  type SecretReferences,
} from "#contract";

/** Collections whose records may map a reference. */
export const MAPPING = [Integrations, Guardrails, PluginCredentials] as const;

/** What is read of a record that may map one, and what it is called. */
interface Mapper {
  readonly mappings: readonly MappedSecret[] | null;
  readonly name: string;
}
type Page = (organisation_id: string, offset: number) => Promise<{ readonly total: number; readonly data: readonly Mapper[] }>;

/** As many as are read at once. */
const PAGE = 500;

/** Throws while a record maps it. */
export async function refuseMapped(
  { id, slug, organisation_id }: RecordOf<typeof SecretReferences>,
  { records }: RuleInput,
): Promise<void> {
  for (const page of pagesOf(records)) {
    const user = await firstThatMaps(id, organisation_id, page);
    if (user !== undefined)
      throw new GatewayError("REQUEST_INVALID", { what: `The secret reference ${slug} cannot be deleted while ${user} maps it.` });
  }
}

async function firstThatMaps(id: string, organisationId: string, page: Page): Promise<string | undefined> {
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const found = await page(organisationId, offset);
    total = found.total;
    const user = found.data.find(({ mappings }) => mappings?.some((mapping) => mapping.secret_reference_id === id));
    if (user) return user.name;
  }
  return undefined;
}

/** Without what may be large of them. */
function pagesOf(records: Pick<RuleInput["records"], "in">): readonly Page[] {
  const [integrations, guardrails, accounts] = [records.in(Integrations), records.in(Guardrails), records.in(PluginCredentials)];
  return [
    (organisation_id, offset) =>
      pageOf(
        integrations,
        { where: { organisation_id }, limit: PAGE, offset, omit: ["configurations"] },
        ({ slug }) => `the integration ${slug}`,
      ),
    (organisation_id, offset) =>
      pageOf(guardrails, { where: { organisation_id }, limit: PAGE, offset, omit: ["checks"] }, ({ slug }) => `the guardrail ${slug}`),
    (organisation_id, offset) =>
      pageOf(
        accounts,
        { where: { organisation_id }, limit: PAGE, offset, omit: ["credentials"] },
        ({ plugin_id, id }) => `the account ${id} of the plugin ${plugin_id}`,
      ),
  ];
}

async function pageOf<T extends { readonly secret_mappings: readonly MappedSecret[] | null }>(
  records: Pick<Records<T>, "list">,
  asked: Parameters<Records<T>["list"]>[0],
  nameOf: (record: T) => string,
): Promise<{ readonly total: number; readonly data: readonly Mapper[] }> {
  const { total, data } = await records.list(asked);
  return { total, data: data.map((record) => ({ mappings: record.secret_mappings, name: nameOf(record) })) };
}
