import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";
import { validator } from "./validate.ts";

const schema = Type.Object(
  {
    name: Type.String({ maxLength: 3 }),
    kind: Type.Optional(OneOf(["a", "b"], { default: "a", description: "" })),
    at: Type.Optional(Nullable(Type.String({ format: "date-time" }))),
    items: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }, { additionalProperties: false }))),
  },
  { additionalProperties: false },
);

test("a value comes back with its defaults, and the one given stays as it was", () => {
  const given = { name: "x" };
  expect(validator(schema)(given)).toEqual({ name: "x", kind: "a" });
  expect(given).toEqual({ name: "x" });
});
test.each<[unknown, string | null, string]>([
  [{}, "name", "missing"],
  [{ name: "long" }, "name", "3"],
  [{ name: "x", kind: "c" }, "kind", "a, b"],
  [{ name: "x", at: "soon" }, "at", "soon"],
  [{ name: "x", items: [{ id: 1 }, { id: "2" }] }, "items[1].id", "integer"],
  [{ name: "x", items: [{ id: 1, other: 2 }] }, "items[0].other", "no such member"],
  [{ name: "x", other: 1 }, "other", "name, kind, at, items"],
  [[], null, "object"],
])("%j is refused at %s with a sentence", (given, param, says) => {
  const refusal = expect(() => validator(schema)(given));
  refusal.toThrow(expect.objectContaining({ code: "REQUEST_INVALID", param, message: expect.stringMatching(new RegExp(`${says}.*\\.$`)) }));
});
test("query text becomes numbers where the schema says so, and nonsense does not", () => {
  const query = validator(
    Type.Object({ page_size: Type.Optional(Type.Integer({ minimum: 1, default: 100 })) }, { additionalProperties: false }),
    { text: true },
  );
  expect([query({}), query({ page_size: "7" })]).toEqual([{ page_size: 100 }, { page_size: 7 }]);
  for (const page_size of ["x", "1.5", "0", ""]) expect(() => query({ page_size })).toThrow("page_size");
});
