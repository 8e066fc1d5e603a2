import { createHash } from "node:crypto";
import { type Column, type ColumnKind, SEQUENCE, type Table } from "./table.ts";

export type Dialect = "sqlite" | "postgres";

/** The SQL that makes and changes portable tables, for one dialect. Each function returns statements without `;`. */
export const ddl = (dialect: Dialect) => {
  const own = DIALECTS[dialect];
  const column = (given: Column): string => `${quoted(given.name)} ${own.types[given.kind]}${given.nullable ? "" : " not null"}`;
  const index = (table: string, members: readonly string[], unique: boolean): string =>
    `create ${unique ? "unique " : ""}index ${quoted(indexName(table, members, unique))} ` +
    `on ${quoted(table)} (${members.map(quoted).join(", ")})`;
  const indexes = (table: Table): string[] => [
    ...table.unique.map((members) => index(table.name, members, true)),
    ...table.index.map((members) => index(table.name, members, false)),
  ];
  const bare = (table: Table, name = table.name): string => {
    const lines = [own.sequence, ...table.columns.map((given) => `${column(given)}${given.name === "id" ? own.id : ""}`)];
    return `create table ${quoted(name)} (\n  ${lines.join(",\n  ")}\n)`;
  };
  return {
    index,
    dropIndex: (table: string, members: readonly string[], unique: boolean) => `drop index ${quoted(indexName(table, members, unique))}`,
    create: (table: Table): string[] => [bare(table), ...indexes(table)],
    drop: (table: Table): string[] => [`drop table ${quoted(table.name)}`],
    addColumn: (table: string, given: Column): string => `alter table ${quoted(table)} add column ${column(given)}${defaultOf(given)}`,
    dropColumn: (table: string, name: string): string => `alter table ${quoted(table)} drop column ${quoted(name)}`,
    alterColumn: (before: Table, after: Table, name: string): string[] => own.alter(before, after, name, { bare, indexes }),
  };
};
export type Ddl = ReturnType<typeof ddl>;

export const quoted = (name: string): string => `"${name}"`;

/** At most 63 bytes, PostgreSQL's limit. */
const indexName = (table: string, members: readonly string[], unique: boolean): string => {
  const full = `${table}_${members.join("_")}_${unique ? "key" : "idx"}`;
  return full.length <= 63 ? full : `${full.slice(0, 54)}_${createHash("sha256").update(full).digest("hex").slice(0, 8)}`;
};

const defaultOf = ({ default: value }: Column): string => {
  if (value === undefined) return "";
  return ` default ${typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)}`;
};

interface Parts {
  readonly bare: (table: Table, name?: string) => string;
  readonly indexes: (table: Table) => string[];
}
interface DialectSql {
  readonly types: Readonly<Record<ColumnKind, string>>;
  readonly sequence: string;
  readonly id: string;
  alter(before: Table, after: Table, name: string, parts: Parts): string[];
}

const DIALECTS: Readonly<Record<Dialect, DialectSql>> = {
  sqlite: {
    types: { text: "text", int: "integer", bigint: "integer", real: "real", bool: "integer", json: "text" },
    sequence: `${quoted(SEQUENCE)} integer primary key autoincrement`,
    id: " unique",
    // SQLite cannot alter a column: the table is built anew beside the old one.
    alter: (before, after, _name, { bare, indexes }) => {
      const kept = [
        SEQUENCE,
        ...after.columns.filter(({ name }) => before.columns.some((old) => old.name === name)).map(({ name }) => name),
      ]
        .map(quoted)
        .join(", ");
      const beside = `_new_${after.name}`;
      return [
        bare(after, beside),
        `insert into ${quoted(beside)} (${kept}) select ${kept} from ${quoted(after.name)}`,
        `drop table ${quoted(after.name)}`,
        `alter table ${quoted(beside)} rename to ${quoted(after.name)}`,
        ...indexes(after),
      ];
    },
  },
  postgres: {
    // Collation "C" orders text by its bytes, as SQLite does, whatever the database's locale.
    types: { text: `text collate "C"`, int: "integer", bigint: "bigint", real: "double precision", bool: "boolean", json: "json" },
    sequence: `${quoted(SEQUENCE)} bigint generated always as identity unique`,
    id: " primary key",
    alter: (before, after, name) => {
      const [old, now] = [before, after].map((table) => table.columns.find((column) => column.name === name));
      if (old === undefined || now === undefined) return [];
      const alter = `alter table ${quoted(after.name)} alter column ${quoted(name)}`;
      const type = DIALECTS.postgres.types[now.kind];
      return [
        ...(old.kind === now.kind ? [] : [`${alter} type ${type} using ${quoted(name)}::${type.split(" collate")[0]}`]),
        ...(old.nullable === now.nullable ? [] : [`${alter} ${now.nullable ? "drop" : "set"} not null`]),
      ];
    },
  },
};
