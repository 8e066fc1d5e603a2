import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { GatewayError, type Json } from "#contract";
import { refuseMoved, type Update } from "./moved.ts";

const text = (marks: Json = {}) => Type.Optional(Type.String(marks));
const target = Type.Object({
  tenant: text({ bound: true }),
  mode: text({ bound: true }),
  token: text({ secret: true, bound: true }),
  other: text({ secret: true }),
  region: text(),
});
const TOKEN = { sealed: "the-token" };
const OTHER = { sealed: "the-other" };

const refusal = (before: Json, next: Json, more: Partial<Update> = {}): string | null => {
  try {
    refuseMoved({ before, next, keepsKey: false, target, ...more });
    return null;
  } catch (thrown) {
    return GatewayError.is(thrown) ? `${thrown.param}: ${thrown.message}` : String(thrown);
  }
};
const toChange = (moved: string, kept: string): string =>
  `${kept.split(",")[0]}: A stored credential does not go elsewhere, nor stand for somebody else: to change ${moved}, give ${kept} again.`;

describe("a kept credential", () => {
  test.each<[string, Json, Json, string]>([
    ["another value of a bound field", { tenant: "a", token: TOKEN }, { tenant: "b", token: TOKEN }, toChange("tenant", "token")],
    ["a bound field left out", { tenant: "a", token: TOKEN }, { token: TOKEN }, toChange("tenant", "token")],
    ["a bound field where there was none", { token: TOKEN }, { mode: "x", token: TOKEN }, toChange("mode", "token")],
    [
      "two of them, and the host",
      { token: TOKEN },
      { custom_host: "h", tenant: "a", mode: "x", token: TOKEN },
      toChange("custom_host, tenant, mode", "token"),
    ],
    [
      "one, and another secret that is kept",
      { token: TOKEN, other: OTHER },
      { tenant: "b", token: TOKEN, other: OTHER },
      toChange("tenant", "token, other"),
    ],
    [
      "one, and another secret that is new",
      { token: TOKEN, other: OTHER },
      { tenant: "b", token: { sealed: "new" }, other: OTHER },
      toChange("tenant", "other"),
    ],
    [
      "a field of another name",
      { token: TOKEN, other: OTHER },
      { other: TOKEN, token: { sealed: "new" }, custom_host: "h" },
      "other: A stored credential is not read from another field: give other itself.",
    ],
    [
      "a member of an object",
      { token: TOKEN },
      { region: { token: TOKEN } },
      "region.token: A stored credential is not read from another field: give region.token itself.",
    ],
  ])("does not come along to %s", (_, before, next, expected) => expect(refusal(before, next)).toBe(expected));

  test("is a key too", () => {
    expect(refusal({ tenant: "a" }, {}, { keepsKey: true })).toBe(toChange("tenant", "key"));
    expect(refusal({ token: TOKEN }, { token: TOKEN, mode: "x" }, { keepsKey: true })).toBe(toChange("mode", "key, token"));
    expect(refusal({}, { custom_host: "h" }, { keepsKey: true, target: undefined })).toBe(toChange("custom_host", "key"));
  });
  test.each<[string, Json, Json]>([
    ["beside a field that says neither where nor as whom", { region: "eu", token: TOKEN }, { region: "us", token: TOKEN }],
    ["beside a secret that is new", { token: TOKEN, other: OTHER }, { token: TOKEN, other: { sealed: "new" } }],
    ["beside null where there was no value", { token: TOKEN }, { tenant: null, token: TOKEN }],
    ["not where all are new", { tenant: "a", token: TOKEN }, { tenant: "b", token: { sealed: "new" } }],
  ])("stays %s", (_, before, next) => expect(refusal(before, next)).toBeNull());
});
