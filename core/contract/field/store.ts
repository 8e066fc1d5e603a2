import type { TSchema } from "@sinclair/typebox";
import { refuseGatewayKey } from "../gateway-key.ts";
import { isJson, type Json } from "../json.ts";
import { maskSecret } from "../mask-secret.ts";
import { isBound, refuseMovedInRecord } from "../moved-secret.ts";
import type { RuleInput } from "../resource.ts";
import { sealSecrets } from "../sealed.ts";
import { openUrls } from "../sealed-json.ts";
import { secretColumns } from "./collection.ts";
import type { Field, Fields } from "./field.ts";

/** How a resource keeps what a body says of a field, where the field itself cannot tell. `before` is the record that is changed. */
export type Store = (given: unknown, input: RuleInput<Json>, before: Json | undefined) => unknown;
export type Stores = Readonly<Record<string, Store | undefined>>;

/** The columns of a new record: what its body says, the defaults, and null. What no body and no default fills is left out. */
export async function draftOf(fields: Fields, stores: Stores, input: RuleInput<Json>): Promise<Json> {
  const draft: Json = {};
  for (const [name, field] of Object.entries(fields)) {
    const inBody = field.rule.create && input.body[name];
    const given = inBody === undefined && stores[name] ? constantOf(field) : inBody;
    Object.assign(draft, given === undefined ? leftOut(name, field, input) : await columnsOf({ name, field, given }, input, stores));
  }
  return draft;
}

/** The columns that an update writes. */
export async function revisionOf(fields: Fields, stores: Stores, before: Json, input: RuleInput<Json>): Promise<Json> {
  const revision: Json = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = field.rule.update && input.body[name];
    if (given !== undefined) Object.assign(revision, await columnsOf({ name, field, given }, input, stores, before));
  }
  refuseMovedColumns(fields, before, revision, input);
  return revision;
}

/** A resource that stores a field stores its default too: what it judges there, it judges of every record. */
const constantOf = ({ rule }: Pick<Field, "rule">): unknown =>
  typeof rule.default === "function" ? undefined : structuredClone(rule.default);

/** The columns of a field that a body says nothing of. */
function leftOut(name: string, { rule }: Field, input: RuleInput<Json>): Json {
  const { sealed, masked } = secretColumns(name);
  if (rule.secret === true) return { [sealed]: null, [masked]: null };
  if (rule.default !== undefined) return { [name]: typeof rule.default === "function" ? rule.default(input) : constantOf({ rule }) };
  return rule.create ? { [name]: null } : {};
}

/** What a body says of a field. */
interface GivenField {
  readonly name: string;
  readonly field: Field;
  readonly given: unknown;
}
async function columnsOf({ name, field, given }: GivenField, input: RuleInput<Json>, stores: Stores, before?: Json): Promise<Json> {
  if (field.rule.secret === true) return secretOf(name, given, input, before);
  const store = stores[name];
  if (store) return { [name]: await store(given, input, before) };
  if (field.rule.secret === "inside" && isJson(given)) return { [name]: sealedInside(field.schema, given, input, before?.[name]) };
  // A route calls with what the field's schema accepted.
  return { [name]: field.body.store ? field.body.store(given as never, input) : given };
}

/** Both columns of a secret; none of them when it is sent back as it was shown. */
function secretOf(name: string, given: unknown, { vault }: Pick<RuleInput, "vault">, before: Json = {}): Json {
  const { sealed, masked } = secretColumns(name);
  if (given === null) return { [sealed]: null, [masked]: null };
  if (given === before[masked]) return {};
  refuseGatewayKey(String(given), vault, name);
  return { [sealed]: vault.seal(String(given)), [masked]: maskSecret(String(given)) };
}

/** A JSON member with the secrets that its schema marks. */
function sealedInside(schema: TSchema, given: Json, { vault }: Pick<RuleInput, "vault">, stored: unknown): Json {
  const secrets = new Set(markedPaths(schema, isSecret).map((path) => path.slice(path.lastIndexOf(".") + 1)));
  const before = isJson(stored) ? stored : {};
  const next = sealSecrets(given, (member) => secrets.has(member), vault, before);
  refuseMovedInRecord({ before: openUrls(before, vault), next: openUrls(next, vault), bound: markedPaths(schema, isBound) });
  return next;
}

/** Can the secrets inside be sealed by their schema alone? Those in lists and alternatives cannot: nobody knows which is which afterwards. */
export const sealsItself = (schema: TSchema): boolean => {
  const paths = markedPaths(schema, isSecret);
  return paths.length > 0 && paths.length === marksIn(schema);
};
const isSecret = (schema: TSchema): boolean => schema["secret"] === true;
const marksIn = (schema: unknown): number =>
  typeof schema === "object" && schema !== null
    ? Object.values(schema).reduce<number>((count, inner) => count + marksIn(inner), isJson(schema) && schema["secret"] === true ? 1 : 0)
    : 0;

/** Members of an object schema that are marked, and those of the objects in it. */
function markedPaths(schema: TSchema, is: (schema: TSchema) => boolean, above = ""): readonly string[] {
  const properties: Readonly<Record<string, TSchema>> = schema["properties"] ?? {};
  return Object.entries(properties).flatMap(([name, inner]) => (is(inner) ? [above + name] : markedPaths(inner, is, `${above}${name}.`)));
}

function refuseMovedColumns(fields: Fields, before: Json, revision: Json, { vault }: Pick<RuleInput, "vault">): void {
  const bound = Object.keys(fields).filter((name) => fields[name]?.rule.bound);
  const secrets = Object.keys(fields).filter((name) => fields[name]?.rule.secret === true);
  if (bound.length === 0) return;
  const kept = secrets.filter((name) => (before[secretColumns(name).sealed] ?? null) !== null && !(secretColumns(name).sealed in revision));
  const next = { ...before, ...revision };
  refuseMovedInRecord({ before: openUrls(before, vault), next: openUrls(next, vault), bound, kept });
}
