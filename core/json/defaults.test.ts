import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";
import { defaulter } from "./defaults.ts";

const limit = Type.Object({ unit: OneOf(["rpm", "rpd"], { default: "rpm", description: "" }), value: Type.Integer() });
const schema = Type.Object({
  name: Type.String({ default: "x" }),
  limits: Type.Optional(Nullable(Type.Union([Type.Array(limit), limit]))),
  inner: Type.Optional(Type.Object({ on: Type.Boolean({ default: true }) })),
  tags: Type.Optional(Type.Record(Type.String(), Type.Object({ weight: Type.Number({ default: 1 }) }))),
  kind: Type.Optional(
    Type.Union([
      Type.Object({ is: Type.Literal("a"), size: Type.Integer({ default: 1 }) }),
      Type.Object({ is: Type.Literal("b"), size: Type.Integer({ default: 2 }) }),
    ]),
  ),
});
const fill = defaulter(schema);

describe("defaults", () => {
  test.each([
    [{}, { name: "x" }],
    [{ name: "y" }, { name: "y" }],
    [
      { limits: [{ value: 1 }, { unit: "rpd", value: 2 }] },
      {
        name: "x",
        limits: [
          { unit: "rpm", value: 1 },
          { unit: "rpd", value: 2 },
        ],
      },
    ],
    [{ limits: { value: 1 } }, { name: "x", limits: { unit: "rpm", value: 1 } }],
    [{ limits: null }, { name: "x", limits: null }],
    [{ inner: {} }, { name: "x", inner: { on: true } }],
    [{ tags: { a: {}, b: { weight: 3 } } }, { name: "x", tags: { a: { weight: 1 }, b: { weight: 3 } } }],
    [{ kind: { is: "b" } }, { name: "x", kind: { is: "b", size: 2 } }],
    [{ kind: {} }, { name: "x", kind: {} }],
  ])("are filled in where nothing was given: %j", (given, filled) => {
    const before = structuredClone(given);
    expect(fill(given)).toEqual(filled);
    expect(given as object).toEqual(before);
  });
  test.each([[[]], ["text"], [null], [7], [{ limits: "many" }], [{ inner: [] }], [{ tags: [] }]])(
    "leave a value of the wrong kind to the check: %j",
    (given) => expect(() => fill(given)).not.toThrow(),
  );
  test("cost nothing where a schema has none, and a member of the prototype is none that was given", () => {
    const body = { a: [1] };
    expect(defaulter(Type.Object({ a: Type.Array(Type.Integer()) }))(body)).toBe(body);
    expect(defaulter(Type.Object({ constructor: Type.String({ default: "own" }) }))({})).toEqual({ constructor: "own" } as never);
  });
});

test("a value nested in a schema that holds itself is filled in a time that grows with its size alone", () => {
  const tree = Type.Recursive((Self) =>
    Type.Object({ name: Type.Optional(Type.String({ default: "n" })), next: Type.Optional(Type.Array(Type.Union([Self, Type.Null()]))) }),
  );
  const nested = (levels: number): unknown => (levels === 0 ? {} : { next: [nested(levels - 1)] });
  const startedAt = performance.now();
  for (let round = 0; round < 100; round += 1) defaulter(tree)(nested(60));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
