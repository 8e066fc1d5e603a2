import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { describe, expect, test } from "bun:test";
import { ChatBody, type Json } from "#contract";
import { firstFault } from "./first-fault.ts";

const chat = (more: Json): Json => ({ model: "m", messages: [{ role: "user", content: "a" }], ...more });
const Bounded = Type.Object({ list: Type.Array(Type.Integer(), { minItems: 2, maxItems: 3 }), other: Type.Optional(Type.String()) });
const Closed = Type.Object({ a: Type.Array(Type.Integer()) }, { additionalProperties: false });
const Mapped = Type.Object({ a: Type.Integer() }, { additionalProperties: Type.Integer() });
const Unique = Type.Array(Type.Integer(), { uniqueItems: true });

describe("the first fault stands where the schema library says", () => {
  test.each<[string, TSchema, unknown]>([
    ["a member is missing", ChatBody, { model: 5 }],
    ["an empty list", ChatBody, chat({ messages: [] })],
    ["no list", ChatBody, chat({ messages: "a" })],
    ["an item", ChatBody, chat({ messages: [{ role: "user" }, 5, { role: 5 }] })],
    ["a member of an item", ChatBody, chat({ messages: [{ role: "user" }, { role: 5 }] })],
    ["a union", ChatBody, chat({ n: [1] })],
    ["a union in an item", ChatBody, chat({ messages: [{ role: "user", content: 5 }] })],
    ["a bound inside a union", ChatBody, chat({ temperature: 5 })],
    ["no object", ChatBody, [1]],
    ["two members", ChatBody, chat({ user: 5, model: 5 })],
    ["too few items that are wrong", Bounded, { list: ["a"], other: 5 }],
    ["too many items that are wrong", Bounded, { list: ["a", "b", "c", "d"] }],
    ["an item within bounds", Bounded, { other: 5, list: [1, "b"] }],
    ["a member too many", Closed, { a: ["x"], b: 1 }],
    ["a wrong member of a closed object", Closed, { a: [1, "x"] }],
    ["another member", Mapped, { b: "x", a: "x" }],
    ["an item twice", Unique, [1, 2, 1]],
  ])("%s", (_, schema, value) => {
    const told = Value.Errors(schema, value).First();
    expect(told).toBeDefined();
    expect(firstFault(schema, value)?.path).toBe(told?.path ?? "");
  });
});

test.each<[string, Json, string]>([
  ["a union of one and null: what that one wants", chat({ temperature: 5 }), "Expected number to be less or equal to 2"],
  ["a text for a flag", chat({ stream: "true" }), "Expected boolean"],
  ["several kinds", { model: "m", messages: [{ role: "user", content: 5 }] }, "Expected a text or a list"],
  ["what is not there", { model: "m" }, "It is missing"],
])("it says what would be right, and nothing of what was sent: %s", (_, body, message) =>
  expect(firstFault(ChatBody, body)?.message).toBe(message),
);

test("it is found behind very many that are right", () => {
  const messages: unknown[] = Array.from({ length: 80_000 }, () => ({ role: "user", content: [{ type: "text", text: "a" }] }));
  const bad = chat({ messages: [...messages, { role: 5 }] });
  const time = (work: () => unknown): number => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  firstFault(ChatBody, bad);
  const [mine, theirs] = [time(() => firstFault(ChatBody, bad)), time(() => Value.Errors(ChatBody, bad).First())];
  expect(mine).toBeLessThan(theirs / 4);
});
