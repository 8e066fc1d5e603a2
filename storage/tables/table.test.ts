import { describe, expect, test } from "bun:test";
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { defineCollection, JsonObject, Nullable, OneOf, Timestamp } from "#contract";
import { type ColumnKind, omittedMembers, tableOf } from "./table.ts";

const collection = (members: Record<string, TSchema>, name = "things") =>
  defineCollection<TObject>({ name, schema: Type.Object({ id: Type.String(), ...members }) });
const columnOf = (schema: TSchema) => tableOf(collection({ it: schema })).columns[1];

const KINDS: readonly (readonly [string, TSchema, ColumnKind, boolean])[] = [
  ["a string", Type.String(), "text", false],
  ["a literal", Type.Literal("a"), "text", false],
  ["a word of a list", OneOf(["a", "b"], { description: "" }), "text", false],
  ["a union of literals", Type.Union([Type.Literal("a"), Type.Literal("b")]), "text", false],
  ["a small integer", Type.Integer({ minimum: 0, maximum: 1 }), "int", false],
  ["an integer without bounds", Type.Integer(), "bigint", false],
  ["an integer that may pass 32 bits", Type.Integer({ minimum: 0, maximum: 2 ** 31 }), "bigint", false],
  ["a timestamp", Timestamp(""), "bigint", false],
  ["a number", Type.Number({ minimum: 0, maximum: 1 }), "real", false],
  ["a boolean", Type.Boolean(), "bool", false],
  ["an object", Type.Object({ a: Type.String() }), "json", false],
  ["any object", JsonObject(""), "json", false],
  ["an array", Type.Array(Type.Unknown()), "json", false],
  ["objects put together", Type.Intersect([Type.Object({}), Type.Object({})]), "json", false],
  ["a union of objects", Type.Union([Type.Object({}), Type.Array(Type.String())]), "json", false],
  ["a recursive object", Type.Recursive((Self) => Type.Object({ next: Type.Optional(Self) })), "json", false],
  ["text or null", Nullable(Type.String()), "text", true],
  ["a nested union with null", Type.Union([Nullable(Type.Literal("a")), Type.Literal("b")]), "text", true],
  ["optional text", Type.Optional(Type.String()), "text", true],
];

test.each(KINDS)("%s has a column", (_, schema, kind, nullable) => {
  expect(columnOf(schema)).toEqual({ name: "it", kind, nullable });
});

describe("what no backend could store is refused, with collection and member named", () => {
  const REFUSED: readonly (readonly [string, TSchema])[] = [
    ["anything", Type.Unknown()],
    ["a date", Type.Date()],
    ["bytes", Type.Uint8Array()],
    ["a bigint", Type.BigInt()],
    ["only null", Type.Null()],
    ["text or an object", Type.Union([Type.String(), Type.Object({})])],
  ];
  test.each(REFUSED)("%s", (_, schema) => {
    expect(() => tableOf(collection({ odd_one: schema }))).toThrow(/"odd_one" of things/);
  });

  test("names that are not fit for a database, and key members that cannot be one", () => {
    expect(() => tableOf(collection({}, "Things; drop"))).toThrow("snake_case");
    expect(() => tableOf(collection({ 'a"b': Type.String() }))).toThrow("cannot name a column");
    expect(() => tableOf(collection({ _seq: Type.String() }))).toThrow("cannot name a column");
    expect(() => tableOf(defineCollection<TObject>({ name: "things", schema: Type.Object({ id: Type.Integer() }) }))).toThrow(
      'a member "id"',
    );
    const body = { name: "things", schema: Type.Object({ id: Type.String(), body: JsonObject("") }) };
    expect(() => tableOf({ ...body, unique: [["body"]] })).toThrow("it is JSON");
    expect(() => tableOf({ ...body, index: [["nothing"]] })).toThrow("not a member");
  });
});

test("scalar defaults are kept for columns that are added later", () => {
  expect(columnOf(OneOf(["a", "b"], { default: "a", description: "" }))).toEqual({
    name: "it",
    kind: "text",
    nullable: false,
    default: "a",
  });
  expect(columnOf(Type.Object({}, { default: {} }))).toEqual({ name: "it", kind: "json", nullable: false });
});

test("an optional member is left out of a record when null, unless null is one of its values", () => {
  const members = { plain: Type.String(), absent: Type.Optional(Type.String()), either: Type.Optional(Nullable(Type.String())) };
  expect([...omittedMembers(collection(members))]).toEqual(["absent"]);
});
