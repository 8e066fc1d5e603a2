import type { Collection } from "#contract";
import { type Dialect, ddl } from "./ddl.ts";
import { stepsBetween } from "./diff.ts";
import { drive, type MigrationConnection, orRefuse, refused, type SqlWork } from "./sql-work.ts";
import { type Column, type Table, tableOf } from "./table.ts";

export interface CollectionOptions {
  readonly dialect: Dialect;
  /** The tables the embedded migrations make. */
  readonly embedded: readonly Table[];
  readonly now: () => number;
  /** Nothing may be changed: a collection that wants room refuses. */
  readonly keepsTables: boolean;
}

export const applyCollections = (db: MigrationConnection, collections: readonly Collection[], options: CollectionOptions): Promise<void> =>
  drive(db, collectionWork(collections, options));

/**
 * Makes room for the collections the embedded migrations do not know (those of external plugins): a table when it is
 * missing, further columns (nullable, or with a default) and indexes later. Nothing is ever dropped or altered.
 */
export function* collectionWork(collections: readonly Collection[], options: CollectionOptions): SqlWork {
  const embedded = new Map(options.embedded.map((table) => [table.name, table]));
  yield {
    sql: `create table if not exists "_collections" ("name" text primary key, "definition" text not null, "applied_at" bigint not null)`,
  };
  const rows = yield { sql: `select "name", "definition" from "_collections"`, parameters: [] };
  // The definition was written by this function below.
  const there = new Map(rows.map(({ name, definition }) => [String(name), JSON.parse(String(definition)) as Table]));
  for (const collection of new Map(collections.map((given) => [given.name, given])).values()) {
    const table = tableOf(collection);
    const own = embedded.get(table.name);
    if (own !== undefined) mustAgree(own, table);
    else yield* extend(there.get(table.name), table, options);
  }
}

const mustAgree = (embedded: Table, given: Table): void => {
  if (stepsLeft(embedded, given) === 0) return;
  throw refused(
    `the collection ${given.name} is not what this build's migrations make. ` +
      'In a checkout, run "bun core/build/gen-migrations.ts"; a plugin must choose another collection name',
  );
};

/** A new required member without a default cannot be a step, and is a difference all the same. */
const stepsLeft = (before: Table, after: Table): number => {
  try {
    return stepsBetween([before], [after]).length;
  } catch {
    return 1;
  }
};

/** All columns but the id nullable and no narrow integers: a plugin's later version may add, leave out and widen members freely. */
const openTable = (table: Table): Table => ({
  ...table,
  columns: table.columns.map(
    ({ name, kind, default: value }): Column => ({
      ...{ name, kind: kind === "int" ? "bigint" : kind, nullable: name !== "id" },
      ...(value !== undefined && { default: value }),
    }),
  ),
});

/** Records that are there already would have no value for it. */
function refuseUnfilled(before: Table | undefined, given: Table): void {
  const unfilled = given.columns.find(
    ({ name, nullable, default: value }) =>
      !nullable && value === undefined && before?.columns.some((column) => column.name === name) === false,
  );
  if (unfilled === undefined) return;
  throw refused(
    `the new member "${unfilled.name}" of the plugin collection ${given.name} needs a default, or must be nullable: ` +
      "records that are there already have no value for it",
  );
}

function* extend(before: Table | undefined, table: Table, { dialect, now, keepsTables }: CollectionOptions): SqlWork {
  refuseUnfilled(before, table);
  const given = openTable(table);
  const after = before === undefined ? given : union(before, given);
  const steps = stepsBetween(before === undefined ? [] : [before], [after]);
  if (steps.length === 0) return;
  if (keepsTables)
    throw refused(
      `the plugin collection ${given.name} has no table of this form yet, and this command does not change tables: a start of this build makes it first`,
    );
  for (const step of steps) {
    yield* orRefuse(
      step.sql(ddl(dialect)).join(";\n"),
      (why) => `the plugin collection ${given.name} could not be made ready (${step.what}): ${why}`,
    );
  }
  yield { sql: `delete from "_collections" where "name" = $1`, parameters: [given.name] };
  yield {
    sql: `insert into "_collections" ("name", "definition", "applied_at") values ($1, $2, $3)`,
    parameters: [given.name, JSON.stringify(after), now()],
  };
}

const union = (before: Table, given: Table): Table => {
  const was = new Map(before.columns.map((column) => [column.name, column]));
  for (const { name, kind } of given.columns) {
    const before = was.get(name)?.kind ?? kind;
    if (before !== kind)
      throw refused(
        `the plugin collection ${given.name} stored "${name}" as ${before}, and now as ${kind}. Give the changed member a new name`,
      );
  }
  const lists = (a: Table["index"], b: Table["index"]) => [...new Map([...a, ...b].map((members) => [members.join(), members])).values()];
  return {
    name: given.name,
    columns: [...before.columns, ...given.columns.filter(({ name }) => !was.has(name))],
    unique: lists(before.unique, given.unique),
    index: lists(before.index, given.index),
  };
};
