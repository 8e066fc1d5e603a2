/** Checks of what a request says beside its texts: parameters, tools, metadata, models; and of an answer that says nothing. */
import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { problemsOf } from "../../tests/kit/bound-check.ts";
import { judgedAnswer, judgedRequest } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import { ALIASES } from "./aliases.ts";
import modelRules from "./checks/modelRules.ts";
import notNull from "./checks/notNull.ts";
import requestParametersCheck from "./checks/requestParametersCheck.ts";
import requiredMetadataKeyPairs from "./checks/requiredMetadataKeyPairs.ts";
import pack from "./index.ts";
import manifest from "./manifest.json";

describe(verifies("2.6.request-params", "tools and parameters of a request"), () => {
  const flagged = async (body: Json, parameters: Json): Promise<readonly (readonly [string, string])[]> => {
    const { check } = await judgedRequest(requestParametersCheck, body, { parameters });
    return ((check.data as Json)["flagged"] as { what: string; reason: string }[]).map(({ what, reason }) => [what, reason] as const);
  };
  const DIALECTS: Readonly<Record<string, readonly [tool: Json, type: string]>> = {
    chat: [{ tools: [{ type: "function", function: { name: "pay" } }] }, "function"],
    "older chat": [{ functions: [{ name: "pay" }] }, "function"],
    messages: [{ tools: [{ name: "pay", input_schema: {} }] }, "custom"],
    responses: [{ tools: [{ type: "function", name: "pay" }] }, "function"],
    gemini: [{ tools: [{ functionDeclarations: [{ name: "pay" }] }] }, "function"],
    "gemini, spelt otherwise": [{ tools: { function_declarations: { name: "pay" } } }, "function"],
  };
  test.each(Object.entries(DIALECTS))("of %s are seen by type and name", async (_, [body, type]) => {
    expect(await flagged(body, { tools: { blockedTypes: [type] } })).toEqual([[`the tool pay of type ${type}`, "type_blocked"]]);
    expect(await flagged(body, { tools: { allowedTypes: ["other"] } })).toEqual([[`the tool pay of type ${type}`, "type_not_allowed"]]);
    expect(await flagged(body, { tools: { blockedFunctionNames: ["pay"] } })).toEqual([["the tool pay", "name_blocked"]]);
    expect(await flagged(body, { tools: { allowedFunctionNames: ["ask"] } })).toEqual([["the tool pay", "name_not_allowed"]]);
    expect(await flagged(body, { tools: { allowedTypes: [type], allowedFunctionNames: ["pay"] } })).toEqual([]);
  });
  test("a tool without a name has its type's", async () => {
    const searching = { tools: [{ type: "web_search" }, { googleSearch: {} }] };
    expect(await flagged(searching, { tools: { blockedFunctionNames: ["web_search", "googleSearch"] } })).toHaveLength(2);
    expect(await flagged(searching, { tools: { blockedTypes: ["googleSearch"] } })).toEqual([
      ["the tool googleSearch of type googleSearch", "type_blocked"],
    ]);
  });
  test("members are judged by name and value, at the top alone and as they are", async () => {
    const body = { model: "m", temperature: 1, stream: true, metadata: { seed: 1 } };
    expect(await flagged(body, { params: { blockedKeys: ["stream", "seed"] } })).toEqual([["the parameter stream", "key_blocked"]]);
    expect(await flagged(body, { params: { allowedKeys: ["model", "temperature", "metadata"] } })).toEqual([
      ["the parameter stream", "key_not_allowed"],
    ]);
    const values = { temperature: { blockedValues: ["1", 2] }, model: { allowedValues: ["a"] }, absent: { allowedValues: ["a"] } };
    expect(await flagged(body, { params: { values } })).toEqual([["the value of model", "value_not_allowed"]]);
    expect(await flagged(body, { params: { values: { temperature: { blockedValues: [1] } } } })).toEqual([
      ["the value of temperature", "value_blocked"],
    ]);
    expect(await flagged(body, { params: { values: { metadata: { allowedValues: ["x"] } } } })).toHaveLength(1);
    expect(await flagged(body, {})).toEqual([]);
  });
  test("what is blocked and allowed at once is refused when it is saved", () => {
    for (const parameters of [
      { tools: { blockedTypes: ["a"], allowedTypes: ["a"] } },
      { tools: { blockedFunctionNames: ["a", "b"], allowedFunctionNames: ["b"] } },
      { params: { blockedKeys: ["a"], allowedKeys: ["a"] } },
      { params: { values: { x: { blockedValues: [1], allowedValues: [1, 2] } } } },
    ])
      expect(problemsOf(requestParametersCheck, parameters)).toHaveLength(1);
    expect(problemsOf(requestParametersCheck, { params: { values: { x: { blockedValues: ["1"], allowedValues: [1] } } } })).toEqual([]);
  });
});

describe(verifies("2.6.metadata-pairs", "metadata pairs"), () => {
  const passes = async (parameters: Json, metadata: Record<string, string>): Promise<boolean> =>
    !(await judgedRequest(requiredMetadataKeyPairs, {}, { parameters, metadata })).denied;
  test("are there: all, any or none of them, under either name of the parameter", async () => {
    const metadata = { team: "a", tier: "gold" };
    const pairs = { team: "a", tier: ["silver", "gold"], level: 3 };
    expect(await passes({ metadataPairs: { team: "a", tier: ["silver", "gold"] } }, metadata)).toBe(true);
    expect(await passes({ metadataKeyPairs: pairs }, metadata)).toBe(false);
    expect(await passes({ metadataKeyPairs: pairs }, { ...metadata, level: "3" })).toBe(true);
    expect(await passes({ metadataKeyPairs: pairs, operator: "any" }, metadata)).toBe(true);
    expect(await passes({ metadataPairs: { team: "a" }, operator: "none" }, metadata)).toBe(false);
    expect(await passes({ metadataPairs: { toString: "a" }, operator: "none" }, metadata)).toBe(true);
  });
  test("are compared in each of the four ways", async () => {
    const metadata = { name: "acme-eu-1" };
    for (const [matchType, yes, no] of [
      ["exact", ["acme-eu-1"], ["acme"]],
      ["contains", ["us", "eu"], ["us"]],
      ["containsAll", ["acme", "eu"], ["acme", "us"]],
      ["regex", ["^acme-[a-z]+-\\d$"], ["^eu"]],
    ] as const) {
      expect([matchType, await passes({ metadataPairs: { name: [...yes] }, matchType }, metadata)]).toEqual([matchType, true]);
      expect([matchType, await passes({ metadataPairs: { name: [...no] }, matchType }, metadata)]).toEqual([matchType, false]);
    }
  });
  test("that nobody could compare are refused, and a value that is too long is an error", async () => {
    for (const wrong of [
      {},
      { metadataPairs: {} },
      { metadataPairs: { a: "(" }, matchType: "regex" },
      { metadataPairs: { a: "(a{99}){99}" }, matchType: "regex" },
    ])
      expect(problemsOf(requiredMetadataKeyPairs, wrong)).not.toEqual([]);
    const { denied, check } = await judgedRequest(
      requiredMetadataKeyPairs,
      {},
      { parameters: { metadataPairs: { a: "x" }, matchType: "regex", operator: "none" }, metadata: { a: "y".repeat(600) } },
    );
    expect([denied, check.error?.name]).toEqual([true, "Budget error"]);
  });
});

describe(verifies("2.6.model-rules", "rules for models"), () => {
  const rules = { defaults: ["small"], metadata: { team: { a: ["large"], b: [] }, tier: { gold: ["huge"] } } };
  const judged = (model: string, metadata: Record<string, string>, more: Json = {}) =>
    judgedRequest(modelRules, { model }, { parameters: { rules, ...more }, metadata });
  test("join for every pair of the request; the defaults are for who has none", async () => {
    expect((await judged("huge", { team: "a", tier: "gold" })).check.data).toMatchObject({
      verdict: true,
      allowedModels: ["large", "huge"],
      matchedRules: ["team=a", "tier=gold"],
    });
    expect((await judged("small", { team: "a" })).denied).toBe(true);
    expect((await judged("small", { team: "z" })).denied).toBe(false);
    expect((await judged("small", { team: "z" }, { not: true })).denied).toBe(true);
    expect((await judged("small", { team: "toString" })).denied).toBe(false);
  });
  test("that allow nothing are an error", async () => {
    expect((await judged("small", { team: "b" })).check.error?.name).toBe("Configuration error");
    expect((await judged("small", {}, { rules: {} })).check.error?.name).toBe("Configuration error");
  });
});

describe(verifies("2.6.not-null", "an answer that says nothing"), () => {
  const passes = async (message: Json, parameters: Json = {}): Promise<boolean> =>
    !(await judgedAnswer(notNull, { choices: [{ message: { role: "assistant", ...message } }] }, { parameters })).denied;
  test("fails, and turns around with not", async () => {
    expect(await passes({ content: "hi" })).toBe(true);
    for (const content of ["", " \n", null, []]) expect([content, await passes({ content })]).toEqual([content, false]);
    expect([await passes({ content: "hi" }, { not: true }), await passes({ content: "" }, { not: true })]).toEqual([false, true]);
  });
  test("is skipped where it calls tools", async () => {
    const calls = { content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] };
    expect([await passes(calls), await passes(calls, { not: true })]).toEqual([true, true]);
  });
});

test(verifies("2.6.aliases", "every other spelling stands for a check, and judges as it does under its own name"), async () => {
  const { provides } = await pack.setup({ fetch: () => Promise.reject(new Error("nobody is asked")) } as never, {}); // the checks that are asked call nobody
  const checks = new Map(provides.checks.map((check) => [check.id, check]));
  for (const [id, of] of Object.entries(ALIASES)) {
    const { id: own, ...alias } = checks.get(id) ?? expect.unreachable();
    expect(own).toBe(id);
    expect(alias).toEqual({ ...checks.get(of), id: undefined } as never);
    expect(manifest.provides).toContain(id);
  }
  expect(Object.keys(ALIASES)).toEqual(["default.alllowercase", "default.modelwhitelist"]);
});
