import { type Static, Type } from "@sinclair/typebox";
import {
  type Caller,
  changeOrganisation,
  defineRoute,
  GatewayError,
  Guardrails,
  type Json,
  isJson,
  organisationGuardrails,
  ownOrganisation,
  type RecordsHandle,
  type Route,
} from "#contract";

const Names = (which: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100,
      uniqueItems: true,
      description: `Guardrails of the organisation, by slug or id, that judge every ${which}. The list replaces the one before; left out, that stays.`,
    }),
  );
const Defaults = Type.Object(
  { input_guardrails: Names("request"), output_guardrails: Names("answer") },
  { additionalProperties: false, minProperties: 1 },
);
type Defaults = Static<typeof Defaults>;
const Shown = Type.Array(Type.Object({ id: Type.String({ description: "Id." }), slug: Type.String({ description: "Slug." }) }));

/** They take none. */
const query = Type.Object({}, { additionalProperties: false });
const shared = { plane: "control", path: "/admin/organisation/defaults", tag: "Organisation", errors: [400, 401, 403], query } as const;

export const readDefaults = (records: RecordsHandle): Route =>
  defineRoute({
    ...shared,
    method: "GET",
    summary: "Read the organisation's default guardrails",
    description: "They judge every request of every workspace that is not excluded from them, whatever its config says.",
    scope: "organisation_settings.read",
    reply: Type.Object({ input_guardrails: Shown, output_guardrails: Shown }),
    async handle({ caller }) {
      const { settings } = await ownOrganisation(caller, records);
      const { input, output } = organisationGuardrails(settings);
      const found = await named([...input, ...output], caller, records);
      const shown = (slugs: readonly string[]) => found.filter(({ slug }) => slugs.includes(slug)).map(({ id, slug }) => ({ id, slug }));
      return { input_guardrails: shown(input), output_guardrails: shown(output) };
    },
  });

export const writeDefaults = (records: RecordsHandle): Route =>
  defineRoute({
    ...shared,
    method: "PUT",
    summary: "Set the organisation's default guardrails",
    description:
      "Guardrails of the organisation itself, for model traffic, that are active. They stand behind those of a config, a key and a workspace, each once. Default guardrails that change texts run before all others, so that these see what they leave, and once more behind them where they changed something: they have the last word.",
    scope: "organisation_settings.update",
    body: Defaults,
    reply: Type.Object({}),
    async handle({ caller, body, now }) {
      await ownOrganisation(caller, records);
      const defaults: Json = {};
      for (const member of ["input_guardrails", "output_guardrails"] as const)
        if (body[member]) defaults[member] = await slugsOf(body[member], member, caller, records);
      await changeOrganisation(caller, { records, now }, ({ settings }) => ({
        settings: { ...settings, defaults: { ...(isJson(settings["defaults"]) ? settings["defaults"] : {}), ...defaults } },
      }));
      return {};
    },
  });

/** The organisation's own guardrails of these names. */
async function named(names: readonly string[], { organisationId }: Caller, records: RecordsHandle) {
  if (names.length === 0) return [];
  const own = { organisation_id: organisationId, workspace_id: null, status: "active" as const, target: "llm" as const };
  const guardrails = records.in(Guardrails);
  const pages = await Promise.all(
    (["slug", "id"] as const).map((member) => guardrails.list({ where: { ...own, [member]: [...names] }, limit: names.length, offset: 0 })),
  );
  return pages.flatMap(({ data }) => data);
}

async function slugsOf(names: readonly string[], member: keyof Defaults, caller: Caller, records: RecordsHandle): Promise<string[]> {
  const found = await named(names, caller, records);
  return names.map((name, at) => {
    const guardrail = found.find(({ id, slug }) => id === name || slug === name);
    if (guardrail) return guardrail.slug;
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: `There is no active guardrail ${name} of the organisation itself.` },
      { param: `${member}[${at}]` },
    );
  });
}
