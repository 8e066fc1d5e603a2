import { type TObject, type TProperties, type TSchema, type TString, Type } from "@sinclair/typebox";
import { isJson, type Json } from "../json.ts";
import { nextTurn } from "../next-turn.ts";
import { openedVault } from "../opened-vault.ts";
import type { RuleInput, MemberAction, Tenancy } from "../resource.ts";
import { Uuid } from "../schema/column.ts";
import type { Collection } from "../storage.ts";
import { type FieldCollection, plain, type RecordSchema, secretColumns } from "./collection.ts";
import type { Columns, Fields } from "./field.ts";
import type { View } from "./view.ts";

/** The versions of a collection's records: every state that one was saved in. A version's id is the record's `version_id`. */
export interface VersionCollection<S extends TObject = TObject> extends Collection<S> {
  /** The member that says which record it is a version of. */
  readonly by: string;
  /** The columns that it keeps. */
  readonly keeps: readonly string[];
}
type VersionSchema<F extends Fields, T extends Tenancy, By extends string, M extends keyof F & string> = TObject<
  RecordSchema<Record<never, never>, T>["properties"] & { [K in By]: TString } & Columns<Pick<F, M>>
>;

/** The table of a collection's versions. The record needs a field `version_id`. */
export function versionsOf<F extends Fields, T extends Tenancy, const By extends string, const M extends keyof F & string>(
  { fields, schema, name: of }: FieldCollection<F, T>,
  { name, by, keeps }: { readonly name: string; readonly by: By; readonly keeps: readonly M[] },
): VersionCollection<VersionSchema<F, T, By, M>> {
  const columns: Readonly<Record<string, TSchema>> = schema.properties;
  const same = (members: readonly string[]): TProperties =>
    Object.fromEntries(members.flatMap((member) => (columns[member] ? [[member, plain(columns[member])]] : [])));
  const kept = keeps.flatMap((member): readonly string[] =>
    fields[member]?.rule.secret === true ? Object.values(secretColumns(member)) : [member],
  );
  const versions = Type.Object({ ...same(HOST_MEMBERS), [by]: Uuid(`Which of the ${of} it is a version of.`), ...same(kept) });
  const collection = { name, by, keeps: kept, schema: versions, index: [[by]] };
  return collection as unknown as VersionCollection<VersionSchema<F, T, By, M>>; // the members that the type names
}
const HOST_MEMBERS = ["id", "created_at", "last_updated_at", "organisation_id", "workspace_id"] as const;

/** What a resource says of its versions. */
export interface VersionRules {
  readonly of: VersionCollection;
  /** Members that the list of versions shows as JSON text. */
  readonly text?: readonly string[];
  /** What each of the list says it is. */
  readonly object?: string;
}

type Versioned = Pick<RuleInput, "records" | "vault" | "now">;

/** Written before the record shows its version, so that none is without it. */
export function keepVersion({ of }: VersionRules, record: Json, { records, now }: Versioned): Promise<void> {
  const kept = ["organisation_id", "workspace_id", ...of.keeps]
    .filter((member) => member in record)
    .map((member) => [member, record[member]]);
  const stamps = { id: record["version_id"], [of.by]: record["id"], created_at: now, last_updated_at: now };
  return records.in(of).insert({ ...Object.fromEntries(kept), ...stamps });
}

const MAX_VERSIONS = 1000;

export async function forgetVersions({ of }: VersionRules, record: Json, { records }: Versioned): Promise<void> {
  const versions = records.in(of);
  for (;;) {
    const { data } = await versions.list({ where: { [of.by]: record["id"] }, limit: MAX_VERSIONS, offset: 0, omit: largeMembers(of) });
    if (data.length === 0) return;
    await Promise.all(data.map(({ id }) => versions.remove(String(id))));
  }
}

/** Members that may be as large as a body. */
const largeMembers = ({ schema, keeps }: VersionCollection): readonly string[] =>
  keeps.filter((member) => ["object", "array"].includes(schema.properties[member]?.["type"]));

/** The route that lists the versions of one record, as it was shown when each was the last. */
export function listVersions(
  rules: VersionRules,
  view: View,
  { noun, scope }: { readonly noun: string; readonly scope: string },
): MemberAction {
  const { text = [], object } = rules;
  const asText = text.map((member) => [member, Type.String({ description: `The ${member} as JSON text.` })]);
  const item = Type.Object({
    ...view.schema.properties,
    ...Object.fromEntries(asText),
    ...(object !== undefined && { object: Type.Literal(object) }),
  });
  return {
    method: "GET",
    path: "/versions",
    summary: `List the versions of ${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`,
    description: "The newest first; as many as one answer holds well: `total` says how many there are.",
    scope,
    reply: Type.Object({ object: Type.Literal("list"), total: Type.Integer({ description: "How many." }), data: Type.Array(item) }),
    run: async (record, input) => ({ object: "list", ...(await newest({ rules, view, record, input: input })) }),
  };
}

/** Read in one go behind a short one. One that is longer, as text, is read alone: each may be as large as a body. */
const AT_ONCE = 2;
const SHORT = 64 * 1024;
/** Of all that is in one answer together: a thousand versions of a large record would hold up everybody. */
const MAX_SHOWN_CHARS = 4 * 1024 * 1024;

/** The versions of one record, as a request sees them. */
interface History {
  readonly rules: VersionRules;
  readonly view: View;
  readonly record: Json;
  readonly input: Versioned & Pick<RuleInput, "caller">;
}

/** First which there are, then what is in them, as many as are shown; others have their turn in between. */
async function newest(history: History): Promise<{ total: number; data: Json[] }> {
  const { input, record, rules } = history;
  const { of } = rules;
  const orderBy = { by: "created_at", direction: "desc" } as const;
  const where = { [of.by]: record["id"] };
  const found = await input.records.in(of).list({ where, orderBy, limit: MAX_VERSIONS, offset: 0, omit: largeMembers(of) });
  const data: Json[] = [];
  let chars = 0;
  for (let at = 0, size = 1; at < found.data.length && chars < MAX_SHOWN_CHARS; ) {
    await nextTurn();
    const before = chars;
    const ids = found.data.slice(at, at + size).map(({ id }) => String(id));
    for await (const shown of shownVersions(ids, history)) {
      chars += charsOf(shown);
      if (data.length === 0 || chars <= MAX_SHOWN_CHARS) data.push(shown);
    }
    at += size;
    size = chars - before < SHORT ? AT_ONCE : 1;
  }
  await nextTurn(); // the answer's own
  return { total: found.total, data };
}

async function* shownVersions(ids: readonly string[], { rules, view, record, input }: History): AsyncGenerator<Json> {
  const { data } = await input.records.in(rules.of).list({ where: { id: ids }, limit: ids.length, offset: 0 });
  const byId = new Map(data.map((version) => [version["id"], version]));
  for (const id of ids) {
    const version = byId.get(id);
    if (!version) continue; // forgotten meanwhile
    await nextTurn();
    const vault = await openedVault(version, input.vault);
    const then = { ...record, ...picked(version, rules.of.keeps), version_id: id, last_updated_at: version["created_at"] };
    const shown = view.of(then, { vault, now: input.now, caller: input.caller });
    await nextTurn();
    const asText = (rules.text ?? []).map((member) => [member, JSON.stringify(shown[member])]);
    yield { ...shown, ...Object.fromEntries(asText), ...(rules.object !== undefined && { object: rules.object }) };
  }
}
const picked = (version: Json, members: readonly string[]): Json => Object.fromEntries(members.map((member) => [member, version[member]]));

/** How long it is as text, about. */
const charsOf = (shown: Json): number => Object.values(shown).reduce<number>((chars, value) => chars + lengthOf(value), 0);
const lengthOf = (value: unknown): number =>
  typeof value === "string" ? value.length : isJson(value) || Array.isArray(value) ? JSON.stringify(value).length : 0;
