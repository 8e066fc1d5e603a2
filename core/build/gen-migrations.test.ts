import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { ddl } from "../../storage/tables/ddl.ts";
import { stepsBetween } from "../../storage/tables/diff.ts";
import { TABLES } from "../../storage/tables/snapshot.ts";
import { MIGRATIONS } from "../../storage/sqlite/migrations/index.ts";
import { MIGRATIONS as POSTGRES } from "../../storage/postgres/migrations/index.ts";
import { embeddedModule, migrationText } from "./gen-migrations.ts";

test("a migration that loses data says what in its first line", () => {
  const text = migrationText(stepsBetween(TABLES, TABLES.slice(1)), "sqlite");
  expect(text).toBe(`-- destructive: drop table ${TABLES[0]?.name}\ndrop table "${TABLES[0]?.name}";\n`);
  expect(embeddedModule(new Map([["0009_x.sql", text]]))).toContain(`destructive: "drop table ${TABLES[0]?.name}"`);
  expect(migrationText(stepsBetween([], TABLES), "postgres")).toStartWith("create table");
});

test("the SQL is embedded letter by letter", () => {
  const sql = "-- `tick` ${not} a \\ hole\nselect '$1';\n";
  const module = embeddedModule(new Map([["0001_odd.sql", sql]]));
  const literal = /sql: (`[\s\S]*`),\n/.exec(module)?.[1];
  expect(new Function(`return ${literal}`)()).toBe(sql);
});

test("the embedded SQLite migrations make exactly the tables of the snapshot", () => {
  const shapeOf = (db: Database): unknown =>
    db
      .query(
        `select t.name as "table", c.name, c.type, c."notnull" from sqlite_master t, pragma_table_info(t.name) c
          where t.name not like '\\_%' escape '\\' and t.name not like 'sqlite%' order by 1, 2`,
      )
      .all();
  const [migrated, fresh] = [new Database(":memory:"), new Database(":memory:")];
  for (const { sql } of MIGRATIONS) migrated.run(sql);
  for (const step of stepsBetween([], TABLES)) for (const sql of step.sql(ddl("sqlite"))) fresh.run(sql);
  expect(shapeOf(migrated)).toEqual(shapeOf(fresh));
});

test("both dialects have the same generated migrations, in the order of their ids", () => {
  const ids = (migrations: typeof MIGRATIONS): string[] =>
    migrations.filter(({ sql }) => !/^--.*written by hand/i.test(sql)).map(({ id }) => id);
  expect(ids(MIGRATIONS)).toEqual(ids(POSTGRES));
  expect(MIGRATIONS.map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id).toSorted());
});
