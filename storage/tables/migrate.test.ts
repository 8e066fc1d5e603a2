import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { defineCollection, GatewayError, Nullable } from "#contract";
import { ddl } from "./ddl.ts";
import { stepsBetween } from "./diff.ts";
import { applyCollections, applyMigrations, type Migration, type MigrationConnection } from "./migrate.ts";
import type { Table } from "./table.ts";

/** One connection, in a transaction as a backend would hold it. */
const connectionTo = (db: Database): MigrationConnection => ({
  script: async (sql) => void db.run(sql),
  query: async (sql, parameters = []) => db.query<Record<string, unknown>, (string | number)[]>(sql).all(...parameters),
});
const inTransaction = async (db: Database, work: (connection: MigrationConnection) => Promise<void>): Promise<void> => {
  db.run("begin immediate");
  try {
    await work(connectionTo(db));
    db.run("commit");
  } catch (error) {
    db.run("rollback");
    throw error;
  }
};
const refusal = async (promise: Promise<void>): Promise<string> => {
  const error = await promise.then(
    () => new Error("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!GatewayError.is(error)) throw error;
  expect(error.code).toBe("MIGRATION_REFUSED");
  return error.message;
};
const tablesOf = (db: Database): string[] =>
  db
    .query<{ name: string }, []>("select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name")
    .all()
    .map(({ name }) => name);

describe("embedded migrations", () => {
  const first: Migration = {
    id: "0001_a",
    checksum: "one",
    destructive: null,
    sql: "create table a (x integer); insert into a values (1)",
  };
  const second: Migration = { id: "0002_b", checksum: "two", destructive: null, sql: "create table b (y integer)" };
  const drop: Migration = { id: "0003_drop", checksum: "three", destructive: "drop table a", sql: "drop table a" };
  const apply = (db: Database, migrations: readonly Migration[], allowDestructive?: string): Promise<void> =>
    inTransaction(db, (connection) => applyMigrations(connection, { migrations, allowDestructive, now: () => 7, keepsTables: false }));

  test("run once, in order, and are remembered", async () => {
    const db = new Database(":memory:");
    await apply(db, [first]);
    await apply(db, [first, second]);
    await apply(db, [first, second]);
    expect(db.query("select id, checksum, applied_at from _migrations order by id").all()).toEqual([
      { id: "0001_a", checksum: "one", applied_at: 7 },
      { id: "0002_b", checksum: "two", applied_at: 7 },
    ]);
    expect(db.query("select count(*) as n from a").get()).toEqual({ n: 1 });
  });

  test("a database that a newer build has used is refused, and nothing is changed", async () => {
    const db = new Database(":memory:");
    await apply(db, [first, second]);
    const message = await refusal(apply(db, [first, { ...second, id: "0002_other" }]));
    expect(message).toContain("0002_b");
    expect(message).toContain("Start that build again");
    expect(tablesOf(db)).toEqual(["_migrations", "a", "b"]);
  });

  test("an applied migration that differs from this build's is refused", async () => {
    const db = new Database(":memory:");
    await apply(db, [first]);
    expect(await refusal(apply(db, [{ ...first, checksum: "changed" }]))).toContain("checksums differ");
  });

  test("a destructive step waits until the operator names it", async () => {
    const db = new Database(":memory:");
    await apply(db, [first, second]);
    const message = await refusal(apply(db, [first, second, drop]));
    expect(message).toContain("drop table a");
    expect(message).toContain("GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION=0003_drop");
    await refusal(apply(db, [first, second, drop], "0002_b"));
    await apply(db, [first, second, drop], "0003_drop");
    expect(tablesOf(db)).toEqual(["_migrations", "b"]);
  });

  test("an empty database has nothing to lose and takes them all", async () => {
    const db = new Database(":memory:");
    await apply(db, [first, second, drop]);
    expect(tablesOf(db)).toEqual(["_migrations", "b"]);
  });

  test("one that fails is refused with what the database said, and leaves no half", async () => {
    const db = new Database(":memory:");
    await apply(db, [first]);
    const broken: Migration = { ...second, sql: "create table b (y integer); insert into nowhere values (1)" };
    expect(await refusal(apply(db, [first, broken]))).toMatch(/0002_b failed.*nowhere/);
    expect(tablesOf(db)).toEqual(["_migrations", "a"]);
  });
});

describe("collections of plugins", () => {
  const collection = (members: Record<string, TSchema>, index: readonly (readonly string[])[] = []) => ({
    ...defineCollection({ name: "notes", schema: Type.Object({ id: Type.String(), ...members }) }),
    index,
  });
  const embedded: readonly Table[] = [{ name: "own", columns: [{ name: "id", kind: "text", nullable: false }], unique: [], index: [] }];
  const apply = (db: Database, given: ReturnType<typeof defineCollection>): Promise<void> =>
    inTransaction(db, (connection) =>
      applyCollections(connection, [given], { dialect: "sqlite", embedded, now: () => 7, keepsTables: false }),
    );

  test("get a table, later further columns and indexes, and lose nothing", async () => {
    const db = new Database(":memory:");
    await apply(db, collection({ text: Type.String(), old: Type.Integer() }));
    db.run("insert into notes (id, text, old) values ('1', 'kept', 5)");
    const later = { text: Type.String(), added: Nullable(Type.Boolean()), rank: Type.Integer({ default: 3 }) };
    await apply(db, collection(later, [["text"]]));
    await apply(db, collection(later, [["text"]]));
    expect(db.query("select id, text, old, added, rank from notes").all()).toEqual([
      { id: "1", text: "kept", old: 5, added: null, rank: 3 },
    ]);
    // The plugin's later version no longer knows `old`, and can write all the same.
    db.run("insert into notes (id, text, added) values ('2', 'new', 1)");
    expect(db.query("select name from sqlite_master where name = 'notes_text_idx'").all().length).toBe(1);
  });

  test("cannot get a further member that their records would have no value for", async () => {
    const db = new Database(":memory:");
    await apply(db, collection({ text: Type.String() }));
    expect(await refusal(apply(db, collection({ text: Type.String(), rank: Type.Integer() })))).toContain(
      '"rank" of the plugin collection notes needs a default',
    );
  });

  test("cannot change what a member is", async () => {
    const db = new Database(":memory:");
    await apply(db, collection({ text: Type.String() }));
    expect(await refusal(apply(db, collection({ text: Type.Integer() })))).toMatch(/notes stored "text" as text/);
  });

  test("cannot take the name of a table of the gateway", async () => {
    const db = new Database(":memory:");
    expect(await refusal(apply(db, { ...collection({ more: Type.String() }), name: "own" }))).toContain("another collection name");
  });
});

describe("differences", () => {
  const column = (name: string, kind: Table["columns"][number]["kind"], nullable = false) => ({ name, kind, nullable });
  const id = column("id", "text");
  const states: readonly (readonly Table[])[] = [
    [{ name: "a", columns: [id, column("x", "text"), column("y", "int", true)], unique: [["x"]], index: [["y"], ["x", "y"]] }],
    [
      {
        name: "a",
        columns: [id, column("x", "text", true), column("y", "bigint", true), { ...column("z", "text"), default: "it's" }],
        unique: [["x"]],
        index: [["y"], ["z"]],
      },
      { name: "b", columns: [id, column("body", "json")], unique: [], index: [] },
    ],
    [{ name: "a", columns: [id, column("z", "text"), column("y", "real")], unique: [["z", "y"]], index: [] }],
  ];
  /** Columns and indexes as SQLite reports them, whatever way led there. */
  const shapeOf = (db: Database) => ({
    columns: db
      .query(
        `select t.name as "table", c.name, c.type, c."notnull", c.pk from sqlite_master t, pragma_table_info(t.name) c
          where t.type = 'table' and t.name not like 'sqlite%' order by 1, 2`,
      )
      .all(),
    indexes: db.query("select name, sql from sqlite_master where type = 'index' and sql is not null order by name").all(),
  });
  const run = (db: Database, before: readonly Table[], after: readonly Table[]): void => {
    for (const step of stepsBetween(before, after)) for (const sql of step.sql(ddl("sqlite"))) db.run(sql);
  };

  test("one after the other lead to the same tables as made at once, and rows stay", () => {
    const db = new Database(":memory:");
    let before: readonly Table[] = [];
    for (const after of states) {
      run(db, before, after);
      const fresh = new Database(":memory:");
      run(fresh, [], after);
      expect(shapeOf(db)).toEqual(shapeOf(fresh));
      if (before.length === 0) db.run("insert into a (id, x, y) values ('1', 'one', 11), ('2', 'two', 22)");
      before = after;
    }
    expect(db.query("select id, y, z from a order by _seq").all()).toEqual([
      { id: "1", y: 11, z: "it's" },
      { id: "2", y: 22, z: "it's" },
    ]);
  });

  test("say which of them lose data", () => {
    const lost = (before: readonly Table[], after: readonly Table[]): string[] =>
      stepsBetween(before, after)
        .filter(({ destructive }) => destructive)
        .map(({ what }) => what);
    expect(lost([], states[0] ?? [])).toEqual([]);
    expect(lost(states[0] ?? [], states[1] ?? [])).toEqual([]);
    expect(lost(states[1] ?? [], states[2] ?? [])).toEqual(["alter column a.y", "drop column a.x", "drop table b"]);
    expect(stepsBetween(states[1] ?? [], states[1] ?? [])).toEqual([]);
  });

  test("a required member without a default cannot be added to a table with rows", () => {
    const [table] = states[0] ?? [];
    if (table === undefined) throw new Error("no table");
    expect(() => stepsBetween([table], [{ ...table, columns: [...table.columns, column("w", "text")] }])).toThrow(
      /"w" of a needs a default/,
    );
  });
});
