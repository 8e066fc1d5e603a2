import type { Ddl } from "./ddl.ts";
import type { Column, Table } from "./table.ts";

/** One difference between two states of the tables: its SQL in either dialect, and what would be lost by it. */
export interface SchemaChange {
  readonly what: string;
  readonly destructive: boolean;
  sql(ddl: Ddl): string[];
}

/** What leads from the tables before to the tables after: first what is made, last what is dropped. */
export const stepsBetween = (before: readonly Table[], after: readonly Table[]): SchemaChange[] => {
  const old = new Map(before.map((table) => [table.name, table]));
  const kept = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((table) => {
      const was = old.get(table.name);
      return was === undefined ? [made(table)] : tableSteps(was, table);
    }),
    ...before.filter(({ name }) => !kept.has(name)).map(dropped),
  ];
};

const made = (table: Table): SchemaChange => ({ what: `create ${table.name}`, destructive: false, sql: (ddl) => ddl.create(table) });
const dropped = (table: Table): SchemaChange => ({ what: `drop table ${table.name}`, destructive: true, sql: (ddl) => ddl.drop(table) });

const tableSteps = (before: Table, after: Table): SchemaChange[] => {
  const was = new Map(before.columns.map((column) => [column.name, column]));
  const stays = new Set(after.columns.map(({ name }) => name));
  const added = after.columns.filter(({ name }) => !was.has(name));
  const gone = INDEXES.flatMap((unique) =>
    without(before[unique], after[unique]).map((members) => indexDropped(after.name, members, unique === "unique")),
  );
  const fresh = INDEXES.flatMap((unique) =>
    without(after[unique], before[unique]).map((members) => indexMade(after.name, members, unique === "unique")),
  );
  // The table as it is while columns are altered: old and new columns, and the indexes both states have.
  const between: Table = {
    name: after.name,
    columns: [...before.columns, ...added],
    unique: without(before.unique, without(before.unique, after.unique)),
    index: without(before.index, without(before.index, after.index)),
  };
  return [
    ...gone,
    ...added.map((column) => columnAdded(after.name, column)),
    ...columnsAltered(between, after),
    ...before.columns.filter(({ name }) => !stays.has(name)).map(({ name }) => columnDropped(after.name, name)),
    ...fresh,
  ];
};

const INDEXES = ["unique", "index"] as const;

const without = (lists: Table["index"], others: Table["index"]): Table["index"] => {
  const there = new Set(others.map((members) => members.join()));
  return lists.filter((members) => !there.has(members.join()));
};

const indexMade = (table: string, members: readonly string[], unique: boolean): SchemaChange => ({
  what: `index ${table} ${members.join()}`,
  destructive: false,
  sql: (ddl) => [ddl.index(table, members, unique)],
});
const indexDropped = (table: string, members: readonly string[], unique: boolean): SchemaChange => ({
  what: `drop index ${table} ${members.join()}`,
  destructive: false,
  sql: (ddl) => [ddl.dropIndex(table, members, unique)],
});
const columnDropped = (table: string, name: string): SchemaChange => ({
  what: `drop column ${table}.${name}`,
  destructive: true,
  sql: (ddl) => [ddl.dropColumn(table, name)],
});

const columnAdded = (table: string, column: Column): SchemaChange => {
  if (!column.nullable && column.default === undefined) {
    throw new TypeError(
      `The new member "${column.name}" of ${table} needs a default, or must be nullable: rows that are there already have no value for it.`,
    );
  }
  return { what: `add ${table}.${column.name}`, destructive: false, sql: (ddl) => [ddl.addColumn(table, column)] };
};

const columnsAltered = (between: Table, after: Table): SchemaChange[] => {
  const steps: SchemaChange[] = [];
  let current = between;
  for (const now of after.columns) {
    const was = current.columns.find(({ name }) => name === now.name);
    if (was === undefined || (was.kind === now.kind && was.nullable === now.nullable)) continue;
    const from = current;
    const to = { ...from, columns: from.columns.map((column) => (column === was ? now : column)) };
    steps.push({
      what: `alter column ${after.name}.${now.name}`,
      destructive: !holdsAll(was, now),
      sql: (ddl) => ddl.alterColumn(from, to, now.name),
    });
    current = to;
  }
  return steps;
};

/** Can the new column hold every value of the old one? */
const holdsAll = (was: Column, now: Column): boolean =>
  (was.kind === now.kind || (was.kind === "int" && now.kind === "bigint")) && (now.nullable || !was.nullable);
