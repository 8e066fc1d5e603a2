import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type Catalog, GatewayError, type Json } from "#contract";
import { refuseMoved } from "./moved.ts";

const text = (marks: Json = {}) => Type.Optional(Type.String(marks));
const provider = (id: string, fields: Parameters<typeof Type.Object>[0]): ReturnType<Catalog["providers"]>[number] => ({
  id,
  title: id,
  operations: [],
  target: Type.Object(fields),
});
const catalog = {
  providers: () => [
    provider("acme", { tenant: text({ bound: true }), token: text({ secret: true, bound: true }), region: text() }),
    provider("other", { region: text({ bound: true }) }),
  ],
};

const KEPT = { sealed: "the-key" };
const ACME: Json = { provider: "acme", api_key: KEPT, tenant: "ours", region: "eu" };
const refusal = (next: Json, before: Json): string | null => {
  try {
    refuseMoved(next, before, catalog);
    return null;
  } catch (thrown) {
    return GatewayError.is(thrown) ? `${thrown.param}: ${thrown.message}` : String(thrown);
  }
};
const staysWith = (what: string, param = "config.api_key"): string =>
  `${param}: The config is not valid: a stored credential stays with the ${what} it was given for: give it again in ${param}.`;

describe("a stored credential", () => {
  test.each<[string, Json, Json, string | null]>([
    ["another value of a bound field", ACME, { ...ACME, tenant: "theirs" }, staysWith("tenant")],
    ["a bound field left out", ACME, { provider: "acme", api_key: KEPT, region: "eu" }, staysWith("tenant")],
    ["a bound field where there was none", { provider: "acme", api_key: KEPT }, { ...ACME, region: null }, staysWith("tenant")],
    ["a bound field, while a new secret comes too", ACME, { ...ACME, token: { sealed: "new" }, tenant: "theirs" }, staysWith("tenant")],
    ["another provider and host", ACME, { ...ACME, provider: "other", custom_host: "x" }, staysWith("provider, custom_host, region")],
    ["a field nobody knows any more", { ...ACME, gone: "a" }, { ...ACME, gone: "b" }, staysWith("gone")],
    ["a new key", ACME, { ...ACME, tenant: "theirs", api_key: { sealed: "new" } }, null],
    ["a new secret", ACME, { ...ACME, token: { sealed: "new" } }, null],
    ["null, where there was no value", { provider: "acme", api_key: KEPT }, { provider: "acme", api_key: KEPT, tenant: null }, null],
    ["a field that says neither where nor as whom", ACME, { ...ACME, region: "us" }, null],
    [
      "the mark of another provider's field",
      { ...ACME, provider: "other" },
      { ...ACME, provider: "other", region: "us" },
      staysWith("region"),
    ],
    [
      "either provider's mark, where none is named",
      { ...ACME, provider: "@a" },
      { ...ACME, provider: "@a", region: "us" },
      staysWith("region"),
    ],
    ["a target of its own", ACME, { targets: [{ provider: "acme" }, ACME] }, null],
    ["a target with another value", ACME, { targets: [ACME, { ...ACME, tenant: "x" }] }, staysWith("tenant", "config.targets[1].api_key")],
    ["either of the places it was given for", { targets: [ACME, { ...ACME, tenant: "b" }] }, { ...ACME, tenant: "b" }, null],
    [
      "neither of them",
      { targets: [{ ...ACME, provider: "other" }, ACME] },
      { targets: [{ ...ACME, tenant: "c" }] },
      staysWith("tenant", "config.targets[0].api_key"),
    ],
    [
      "another member",
      { ...ACME, token: { sealed: "the-token" } },
      { ...ACME, api_key: { sealed: "the-token" } },
      "config.api_key: The config is not valid: a stored credential is not read from another member: give it again in config.api_key.",
    ],
  ])("beside %s", (_, before, next, expected) => expect(refusal(next, before)).toBe(expected));
  test("that stands in many places is followed in a time that grows with their number alone", () => {
    const many = (from: number): Json => ({
      targets: Array.from({ length: 2_000 }, (_, i) => ({ ...ACME, custom_host: `https://h${from + i}.example.org` })),
    });
    const startedAt = performance.now();
    expect(refusal({ targets: (many(0)["targets"] as Json[]).toReversed() }, many(0))).toBeNull();
    expect(refusal(many(1), many(0))).toContain("custom_host");
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
