import { Type } from "@sinclair/typebox";
import {
  type Catalog,
  changeOrganisation,
  defineRoute,
  isJson,
  type Json,
  openedCategories,
  ownOrganisation,
  type RecordsHandle,
  type Route,
  storedKeySettings,
} from "#contract";
import { Change, Organisation, shownOrganisation } from "./shapes.ts";

const query = Type.Object({}, { additionalProperties: false });
const shared = { plane: "control", path: "/admin/organisation", tag: "Organisation", errors: [400, 401, 403, 409], query } as const;

export const read = (records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared, method: "GET", summary: "Get the organisation", scope: "organisation_settings.read" },
    reply: Organisation,
    handle: async ({ caller }) => shownOrganisation(await ownOrganisation(caller, records)),
  });

export const write = (records: RecordsHandle, catalog: Catalog): Route =>
  defineRoute({
    ...{ ...shared, method: "PUT", summary: "Update the organisation", scope: "organisation_settings.update" },
    description:
      "Members left out stay as they are, at every level. Where a category is opened to workspaces they begin with the organisation's values of that moment; where it is closed, what they said is forgotten.",
    body: Change,
    reply: Type.Object({}),
    async handle({ caller, body, now }) {
      const keySettings = storedKeySettings(body.settings ?? {}, catalog);
      await changeOrganisation(caller, { records, now }, ({ settings }) => ({
        ...(body.name !== undefined && { name: body.name }),
        settings: changed(settings, { ...body, settings: keySettings }, now),
      }));
      return {};
    },
  });

/** Values are changed before categories are opened: what is said in one request counts for the workspaces, too. */
function changed(
  before: Json,
  { settings, security_settings = {}, workspace_overrides, metadata_schemas = {} }: Omit<Change, "settings"> & { readonly settings: Json },
  now: number,
): Json {
  const next: Json = {
    ...before,
    ...settings,
    security_settings: mergedInside(before["security_settings"], security_settings),
    metadata_schemas: { ...objectOf(before["metadata_schemas"]), ...metadata_schemas },
  };
  return { ...next, workspace_overrides: openedCategories(next, (workspace_overrides ?? {}) as Record<string, boolean>, now) }; // by its schema
}
const objectOf = (value: unknown): Json => (isJson(value) ? value : {});
const mergedInside = (before: unknown, said: Json): Json => {
  const values = objectOf(before);
  const entries = Object.entries(said).map(([category, given]) => [category, { ...objectOf(values[category]), ...objectOf(given) }]);
  return { ...values, ...Object.fromEntries(entries) };
};
