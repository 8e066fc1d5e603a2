import type { TSchema } from "@sinclair/typebox";
import { isJson, type Json } from "../json.ts";
import { refuseMovedSecrets } from "../kept-secret.ts";
import { maskSecret } from "../mask-secret.ts";
import { isBound } from "../moved-secret.ts";
import type { Asked } from "../resource.ts";
import { sealSecrets } from "../sealed.ts";
import { openUrls } from "../sealed-json.ts";
import { secretColumns } from "./collection.ts";
import type { Field, Fields } from "./field.ts";

/** How a resource keeps what a body says of a field, where the field itself cannot tell. `before` is the record that is changed. */
export type Store = (given: unknown, asked: Asked<Json>, before: Json | undefined) => unknown;
export type Stores = Readonly<Record<string, Store | undefined>>;

/** The columns of a new record: what its body says, the defaults, and null. What no body and no default fills is left out. */
export async function draftOf(fields: Fields, stores: Stores, asked: Asked<Json>): Promise<Json> {
  const draft: Json = {};
  for (const [name, one] of Object.entries(fields)) {
    const given = one.rule.create && asked.body[name];
    Object.assign(draft, given === undefined ? unsaid(name, one, asked) : await columnsOf(name, one, given, asked, stores));
  }
  return draft;
}

/** The columns that an update writes. */
export async function revisionOf(fields: Fields, stores: Stores, before: Json, asked: Asked<Json>): Promise<Json> {
  const revision: Json = {};
  for (const [name, one] of Object.entries(fields)) {
    const given = one.rule.update && asked.body[name];
    if (given !== undefined) Object.assign(revision, await columnsOf(name, one, given, asked, stores, before));
  }
  refuseMovedColumns(fields, before, revision, asked);
  return revision;
}

function unsaid(name: string, { rule }: Field, asked: Asked<Json>): Json {
  const { sealed, masked } = secretColumns(name);
  if (rule.secret === true) return { [sealed]: null, [masked]: null };
  if (rule.default !== undefined)
    return { [name]: typeof rule.default === "function" ? rule.default(asked) : structuredClone(rule.default) };
  return rule.create ? { [name]: null } : {};
}

async function columnsOf(name: string, one: Field, given: unknown, asked: Asked<Json>, stores: Stores, before?: Json): Promise<Json> {
  if (one.rule.secret === true) return secretOf(name, given, asked, before);
  const store = stores[name];
  if (store) return { [name]: await store(given, asked, before) };
  if (one.rule.secret === "inside" && isJson(given)) return { [name]: sealedInside(one.schema, given, asked, before?.[name]) };
  // A route calls with what the field's schema accepted.
  return { [name]: one.body.store ? one.body.store(given as never, asked) : given };
}

/** Both columns of a secret; none of them when it is sent back as it was shown. */
function secretOf(name: string, given: unknown, { vault }: Pick<Asked, "vault">, before: Json = {}): Json {
  const { sealed, masked } = secretColumns(name);
  if (given === null) return { [sealed]: null, [masked]: null };
  if (given === before[masked]) return {};
  return { [sealed]: vault.seal(String(given)), [masked]: maskSecret(String(given)) };
}

/** A JSON member with the secrets that its schema marks. */
function sealedInside(schema: TSchema, given: Json, { vault }: Pick<Asked, "vault">, stored: unknown): Json {
  const members: Readonly<Record<string, TSchema>> = schema["properties"] ?? {};
  const before = isJson(stored) ? stored : {};
  const next = sealSecrets(given, (member) => members[member]?.["secret"] === true, vault, before);
  const bound = Object.keys(members).filter((member) => members[member] && isBound(members[member]));
  refuseMovedSecrets({ before: openUrls(before, vault), next: openUrls(next, vault), bound });
  return next;
}

function refuseMovedColumns(fields: Fields, before: Json, revision: Json, { vault }: Pick<Asked, "vault">): void {
  const bound = Object.keys(fields).filter((name) => fields[name]?.rule.bound);
  const secrets = Object.keys(fields).filter((name) => fields[name]?.rule.secret === true);
  if (bound.length === 0) return;
  const kept = secrets.filter((name) => (before[secretColumns(name).sealed] ?? null) !== null && !(secretColumns(name).sealed in revision));
  const next = { ...before, ...revision };
  refuseMovedSecrets({ before: openUrls(before, vault), next: openUrls(next, vault), bound, kept });
}
