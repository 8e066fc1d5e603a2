import { Type } from "@sinclair/typebox";
import { isJson, type Json } from "../json.ts";

/** Who a security setting is about: a role in a workspace, or owners and admins of the organisation. */
export type SettingRole = "manager" | "member" | "organisation-admin";
/** What a role sees of logs: what was said in requests, the rest of a record, and records of other people's keys. */
export type Sight = "bodies" | "metadata" | "others";

/** A switch of an organisation: what a role may do, or see, while it is on. */
export interface SecuritySetting {
  readonly category: string;
  readonly name: string;
  readonly role: SettingRole;
  readonly default: boolean;
  readonly scopes?: readonly string[];
  readonly sight?: Sight;
}
const view = (...families: readonly string[]) => families.flatMap((family) => [`${family}.read`, `${family}.list`]);
const write = (...families: readonly string[]) =>
  families.flatMap((family) => [`${family}.create`, `${family}.update`, `${family}.delete`]);

// biome-ignore format: a table, one row a line
export const SECURITY_SETTINGS: readonly SecuritySetting[] = [
  { category: "logs", name: "managersViewLogs", role: "manager", default: true, sight: "bodies" },
  { category: "logs", name: "managersViewLogMetadata", role: "manager", default: true, sight: "metadata" },
  { category: "logs", name: "membersViewLogs", role: "member", default: true, sight: "bodies" },
  { category: "logs", name: "membersViewLogMetadata", role: "member", default: true, sight: "metadata" },
  { category: "logs", name: "organisationAdminsViewLogs", role: "organisation-admin", default: true, sight: "bodies" },
  { category: "logs", name: "organisationAdminsViewLogMetadata", role: "organisation-admin", default: true, sight: "metadata" },
  { category: "data_visibility", name: "managersViewAllData", role: "manager", default: true, sight: "others" },
  { category: "data_visibility", name: "membersViewAllData", role: "member", default: true, sight: "others" },
  { category: "guardrails", name: "managersViewGuardrails", role: "manager", default: true, scopes: view("guardrails") },
  { category: "guardrails", name: "membersViewGuardrails", role: "member", default: true, scopes: view("guardrails") },
  { category: "guardrails", name: "managersWriteGuardrails", role: "manager", default: true, scopes: write("guardrails") },
  { category: "configs", name: "managersViewConfigs", role: "manager", default: true, scopes: view("configs") },
  { category: "configs", name: "membersViewConfigs", role: "member", default: true, scopes: view("configs") },
  { category: "configs", name: "managersEditConfigs", role: "manager", default: true, scopes: write("configs") },
  { category: "configs", name: "membersEditConfigs", role: "member", default: false, scopes: write("configs") },
  { category: "virtual_keys", name: "managersViewVirtualKeys", role: "manager", default: true, scopes: view("virtual_keys", "providers") },
  { category: "virtual_keys", name: "membersViewVirtualKeys", role: "member", default: true, scopes: view("virtual_keys", "providers") },
  { category: "virtual_keys", name: "managersEditVirtualKeys", role: "manager", default: true, scopes: write("virtual_keys", "providers") },
  { category: "virtual_keys", name: "membersEditVirtualKeys", role: "member", default: false, scopes: write("virtual_keys", "providers") },
  { category: "integrations", name: "managersWriteWsIntegrations", role: "manager", default: true, scopes: write("workspace_integrations") },
];

/** Values by category and name. */
export type SecurityValues = Readonly<Record<string, Readonly<Record<string, boolean>>>>;
const CATEGORIES: readonly string[] = [...new Set(SECURITY_SETTINGS.map(({ category }) => category))];
const rowsOf = (category: string) => SECURITY_SETTINGS.filter((row) => row.category === category);

const categorySchema = (category: string) =>
  Type.Object(
    Object.fromEntries(rowsOf(category).map((row) => [row.name, Type.Optional(Type.Boolean({ description: sentenceOf(row) }))])),
    { additionalProperties: false, description: `What roles may do: ${category.replaceAll("_", " ")}.` },
  );
const sentenceOf = ({ role, default: is }: SecuritySetting): string =>
  `For ${role === "organisation-admin" ? "owners and admins of the organisation" : `${role}s of a workspace`}; ${is ? "on" : "off"} unless it is set.`;

/** Some values by category; what is left out stays as it is. */
export const SecuritySettings = Type.Object(
  Object.fromEntries(CATEGORIES.map((category) => [category, Type.Optional(categorySchema(category))])),
  { additionalProperties: false, description: "What roles may do." },
);
/** Which categories the workspaces decide for themselves. */
export const WorkspaceOverrides = Type.Object(Object.fromEntries(CATEGORIES.map((category) => [category, Type.Optional(Type.Boolean())])), {
  additionalProperties: false,
  description:
    "Categories of security settings that each workspace decides for itself. It begins with the organisation's values of that moment.",
});

/** A category that workspaces decide: since when, and the values that the organisation had then. */
interface Opened {
  readonly since: number;
  readonly values: Readonly<Record<string, boolean>>;
}
const objectIn = (from: Json | null, member: string): Json => (isJson(from?.[member]) ? (from[member] as Json) : {});
const openedIn = (from: Json | null, category: string): Opened | undefined => {
  const found = from?.[category];
  return isJson(found) ? (found as unknown as Opened) : undefined; // written by `openedCategories` and `workspaceSecurity` alone
};

/** All values of an organisation, by its settings. */
export const organisationSecurity = (settings: Json): SecurityValues =>
  Object.fromEntries(
    CATEGORIES.map((category) => [category, withDefaults(category, objectIn(objectIn(settings, "security_settings"), category))]),
  );
const withDefaults = (category: string, values: Json): Readonly<Record<string, boolean>> =>
  Object.fromEntries(rowsOf(category).map(({ name, default: is }) => [name, typeof values[name] === "boolean" ? values[name] : is]));

/** Which categories an organisation has opened. */
export const overridesOf = (settings: Json): Readonly<Record<string, boolean>> =>
  Object.fromEntries(CATEGORIES.map((category) => [category, openedIn(objectIn(settings, "workspace_overrides"), category) !== undefined]));

/** Opening a category keeps the organisation's values of that moment for all workspaces; closing it forgets what they said. */
export function openedCategories(settings: Json, asked: Readonly<Record<string, boolean | undefined>>, now: number): Json {
  const before = objectIn(settings, "workspace_overrides");
  const values = organisationSecurity(settings);
  const next = Object.entries(asked).map(([category, open]) => [
    category,
    open ? (openedIn(before, category) ?? { since: now, values: values[category] }) : undefined,
  ]);
  return { ...before, ...Object.fromEntries(next) };
}

/** The values that hold in a workspace. */
export function effectiveSecurity(settings: Json, own: Json | null): SecurityValues {
  const overrides = objectIn(settings, "workspace_overrides");
  return Object.fromEntries(
    Object.entries(organisationSecurity(settings)).map(([category, values]) => {
      const opened = openedIn(overrides, category);
      return [category, opened ? { ...opened.values, ...spokenSince(own, category, opened) } : values];
    }),
  );
}
/** What a workspace said while the category was closed, or before it was opened again, does not count. */
function spokenSince(own: Json | null, category: string, { since }: Opened): Readonly<Record<string, boolean>> {
  const said = openedIn(own, category);
  return said?.since === since ? said.values : {};
}

/** What a workspace keeps once it has said this. The first category that it does not decide is told as `refused`. */
export function workspaceSecurity(
  settings: Json,
  own: Json | null,
  said: SecurityValues,
): { readonly kept: Json; readonly refused?: string } {
  const overrides = objectIn(settings, "workspace_overrides");
  const kept: Record<string, unknown> = { ...own };
  for (const [category, values] of Object.entries(said)) {
    const opened = openedIn(overrides, category);
    if (!opened) return { kept, refused: category };
    kept[category] = { since: opened.since, values: { ...spokenSince(own, category, opened), ...values } };
  }
  return { kept };
}
