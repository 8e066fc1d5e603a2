import { nothingSpent } from "../../compute/allowance.ts";
import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { GatewayError, type Json, type Manifest, type Verdict } from "#contract";
import type { EngineDeps } from "../../../tests/kit/bound-check.ts";
import { active, caller, depsWith, madeCheck, recordsOf, savedGuardrail } from "../../../tests/kit/guardrail.ts";
import { guardrailFinder } from "../plan/guardrails/find.ts";
import { guardInput, guardOutput } from "./guard.ts";
import { callOf } from "../../../tests/kit/call.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";

const allow = madeCheck("allow", () => ({ verdict: "allow", data: { seen: true } }));
const deny = madeCheck("deny", () => ({ verdict: "deny", reason: "bad words" }));
const later = madeCheck("later", async () => ({ verdict: "deny", reason: "bad words" }) as const);
const throws = madeCheck("throws", () => {
  throw new Error("boom with sk-secret");
});
const hangs = madeCheck(
  "hangs",
  ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
);
const garbage = madeCheck("garbage", () => ({ verdict: "maybe" }) as unknown as Verdict);
const mask = madeCheck(
  "mask",
  ({ segments }) => ({
    verdict: "transform",
    patches: segments.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") })),
  }),
  { transforms: true },
);
const star = madeCheck(
  "star",
  ({ segments }) => ({ verdict: "transform", patches: segments.map(({ path, text }) => ({ path, text: `${text}*` })) }),
  { transforms: true },
);
const sly = madeCheck("sly", () => ({ verdict: "transform", patches: [{ path: "messages[0].content", text: "x" }] }));
const lost = madeCheck("lost", () => ({ verdict: "transform", patches: [{ path: "messages[7].content", text: "x" }] }), {
  transforms: true,
});
const badKey = madeCheck("badKey", () => ({ verdict: "error", class: "auth", message: "401" }));
const strict = madeCheck("strict", () => ({ verdict: "allow" }), {
  params: Type.Object({ words: Type.Array(Type.String()) }, { additionalProperties: false }),
});
const text = madeCheck("text", ({ text }) => ({ verdict: "allow", data: text }));
const answers = madeCheck("answers", () => ({ verdict: "allow" }), { on: ["output"] });
/** Nothing that a check throws or answers may leave the runner: things without text, getters that throw, proxies that refuse. */
const noText: unknown = Object.create(null);
const trap = (): unknown => new Proxy({}, { get: refuse, ownKeys: refuse, has: refuse, getPrototypeOf: refuse });
const refuse = (): never => {
  throw new Error("a trap");
};
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  throwsNoText: () => {
    throw noText;
  },
  rejectsNoText: () => Promise.reject(noText),
  answersTrap: async () => trap(),
  answersGetter: async () => Object.defineProperty({}, "verdict", { get: refuse }),
  reasonNoText: async () => ({ verdict: "deny", reason: noText }),
  dataTrap: () => ({ verdict: "deny", reason: "r", data: trap() }),
  dataBigint: () => ({ verdict: "deny", reason: "r", data: { n: 1n } }),
  dataDeep: () => ({ verdict: "deny", reason: "r", data: JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`) as unknown }),
  dataToJson: () => ({ verdict: "deny", reason: "r", data: { toJSON: refuse } }),
  thenTrap: () => Object.defineProperty({}, "then", { get: refuse }),
  thenThrows: () => ({ then: refuse }),
};
const hostile = Object.entries(HOSTILE).map(([name, run]) => madeCheck(name, run as () => Verdict)); // what a check in another language's hands may do
const CHECKS = [...hostile, allow, deny, later, throws, hangs, garbage, mask, star, sly, lost, badKey, strict, text, answers];

const redact = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll("sk-secret", "[hidden]"));
const deps = depsWith(CHECKS, { redact });
const call = callOf({ model: "m", messages: [{ role: "user", content: "my secret" }] });
const view = {
  provider: "p",
  model: "m",
  metadata: {},
  spending: nothingSpent(),
  tenant: "w",
  tenantIds: { organisationId: "o", workspaceId: "w" },
};
const asked = async (inline: readonly Json[], on = call, using: EngineDeps = deps) => guardInput(active(inline, using), on, view, using);
const bodyText = (of: { call: typeof call }): string => (of.call.body.kind === "json" ? JSON.stringify(of.call.body.value) : "");
const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return GatewayError.is(thrown) ? `${thrown.code} ${thrown.message}` : String(thrown);
  }
};

describe("verdicts", () => {
  test("without guardrails, and with checks that need no promise, nothing is awaited", () => {
    expect(guardInput([], call, view, deps)).not.toBeInstanceOf(Promise);
    const done = guardInput(active([{ "test.allow": {}, deny: true }], deps), call, view, deps);
    expect(done).not.toBeInstanceOf(Promise);
    expect(done).toMatchObject({ denied: false, failed: false, call });
  });
  test("a failed check denies when the guardrail denies, and otherwise only fails", async () => {
    expect(await asked([{ "test.deny": {}, deny: true }])).toMatchObject({ denied: true, failed: true });
    expect(await asked([{ "test.later": {}, deny: false }])).toMatchObject({ denied: false, failed: true });
  });
  test("a denial's reason is shown beside the data of its check, and what explains itself stays", async () => {
    const given = [{ score: 0.9 }, { score: 1, explanation: "its own" }, ["a"]];
    const made = given.map((data, index) => madeCheck(`why${index}`, () => ({ verdict: "deny", reason: "sk-secret words", data })));
    const { results } = await asked([Object.fromEntries(made.map(({ id }) => [id, {}]))], call, depsWith(made, { redact }));
    expect(results[0]?.checks.map(({ data }) => data)).toEqual([
      { score: 0.9, explanation: "[hidden] words" },
      { score: 1, explanation: "its own" },
      ["a"],
    ]);
  });
  test("the log line of a check's error says what went wrong", async () => {
    const lines: unknown[] = [];
    const using = depsWith([throws], { redact, log: (...line) => lines.push(line) });
    await asked([{ "test.throws": {} }], call, using);
    expect(lines).toEqual([
      ["warn", "guardrail.check_error", expect.objectContaining({ check: "test.throws", why: expect.stringMatching(/\w/) })],
    ]);
  });
  test(verifies("D6.hook-item", "the result has the documented members"), async () => {
    const { results } = await asked([
      { id: "g1", "test.allow": {}, "test.deny": {}, deny: true, on_fail: { feedback: { value: -3, weight: 2, metadata: { team: "a" } } } },
    ]);
    expect(results).toEqual([
      {
        verdict: false,
        id: "g1",
        transformed: false,
        execution_time: expect.any(Number),
        async: false,
        type: "guardrail",
        created_at: expect.any(String),
        deny: true,
        feedback: {
          value: -3,
          weight: 2,
          metadata: { team: "a", successfulChecks: "test.allow", failedChecks: "test.deny", erroredChecks: "" },
        },
        checks: [
          {
            data: { seen: true },
            verdict: true,
            id: "test.allow",
            error: null,
            execution_time: expect.any(Number),
            transformed: false,
            created_at: expect.any(String),
            log: null,
            fail_on_error: false,
          },
          {
            data: { explanation: "bad words" },
            verdict: false,
            id: "test.deny",
            error: null,
            execution_time: expect.any(Number),
            transformed: false,
            created_at: expect.any(String),
            log: null,
            fail_on_error: false,
          },
        ],
      },
    ]);
  });
  test("data that JSON has no form for is shown as null, and data beside it is not lost", async () => {
    const odd = [() => 1, Symbol("s"), 1n, { toJSON: () => undefined }, { n: 1n }, undefined].map((data, index) =>
      madeCheck(`odd${index}`, () => ({ verdict: "allow", data })),
    );
    const using = depsWith([...odd, allow, text]);
    const named = [...odd, allow, text].map(({ id }) => [id, {}] as const);
    const { results } = await asked([Object.fromEntries(named)], call, using);
    expect(results[0]?.checks.map(({ data }) => data)).toEqual([...odd.map(() => null), { seen: true }, "my secret"]);
  });
  test("an answer without end is shown in part, whether its reason is endless, its data, or its error", async () => {
    const long = "x".repeat(5_000_000);
    const wide = Array.from({ length: 1_500_000 }, (_, at) => at);
    const circle: Record<string, unknown> = { long };
    circle["self"] = circle;
    const giants = [
      madeCheck("reason", () => ({ verdict: "deny", reason: long })),
      madeCheck("data", () => ({ verdict: "deny", reason: "It is so.", data: { long } })),
      madeCheck("wide", () => ({ verdict: "allow", data: wide })),
      madeCheck("circle", () => ({ verdict: "allow", data: circle })),
      madeCheck("error", () => ({ verdict: "error", class: "crash", message: long })),
      madeCheck("throws", () => {
        throw new Error(long);
      }),
    ];
    const named = Object.fromEntries(giants.map(({ id }) => [id, {}]));
    const { results } = await asked([named], call, depsWith(giants));
    const [reason, data, ...others] = results[0]?.checks ?? [];
    expect(reason?.data).toEqual({ explanation: expect.stringMatching(/^x{10000}…$/) });
    expect(data?.data).toEqual({ explanation: "It is so.", omitted: expect.stringContaining("1000000") });
    expect(others.slice(0, 2).map((check) => check.data)).toEqual([0, 1].map(() => ({ omitted: expect.stringContaining("1000000") })));
    expect(others.slice(2).map(({ error }) => error?.message.length)).toEqual([10_001, 10_001]);
  });
  test("what a check does to its data after it has answered is not shown", async () => {
    const data = { seen: "then" };
    const using = depsWith([madeCheck("fickle", () => ({ verdict: "allow", data }))]);
    const done = await asked([{ "test.fickle": {} }], call, using);
    const later = await asked([{ "test.fickle": {}, async: true }], call, using);
    const beside = await later.pending;
    data.seen = "now";
    expect([done.results[0]?.checks[0]?.data, beside?.[0]?.checks[0]?.data]).toEqual([{ seen: "then" }, { seen: "then" }]);
  });
  test("a check is shown its view of the request, and nothing it is made from", async () => {
    const seen: string[] = [];
    const curious = madeCheck("curious", (input) => {
      seen.push(...Object.keys(input), ...Object.getOwnPropertyNames(Object.getPrototypeOf(input)));
      return { verdict: "allow" };
    });
    await asked([{ "test.curious": {} }], call, depsWith([curious]));
    expect(seen.sort()).toEqual([
      "asker",
      "call",
      "constructor",
      "credential",
      "credentials",
      "now",
      "params",
      "segments",
      "side",
      "signal",
      "stop",
      "text",
      "timeoutMs",
    ]);
  });
  test("a disabled check is neither run nor reported", async () => {
    const { results, denied } = await asked([{ "test.deny": { is_enabled: false }, "test.allow": {}, deny: true }]);
    expect(denied).toBe(false);
    expect(results[0]?.checks.map(({ id }) => id)).toEqual(["test.allow"]);
  });
  test("asynchronous guardrails change nothing and report later", async () => {
    const done = await asked([{ "test.deny": {}, "test.mask": {}, deny: true, async: true }]);
    expect(done).toMatchObject({ denied: false, failed: false, results: [], call });
    expect(await done.pending).toMatchObject([{ async: true, deny: true, verdict: false, transformed: false }]);
  });
});

describe("errors", () => {
  const one = async (inline: Json) => {
    const { results, denied, failed } = await asked([inline]);
    return { denied, failed, check: results[0]?.checks[0] };
  };
  test("a check that throws is an error, shown without secrets, and passes by default", async () => {
    const { denied, failed, check } = await one({ "test.throws": {}, deny: true });
    expect([denied, failed]).toEqual([false, false]);
    expect(check).toMatchObject({ verdict: false, error: { name: "Check error", message: "boom with [hidden]" } });
  });
  test.each(Object.keys(HOSTILE))("whatever a check does (%s), it is reported and can be sent", async (name) => {
    const { results } = await asked([{ [`test.${name}`]: { timeout: 200 }, deny: true }]);
    const [check] = results[0]?.checks ?? [];
    expect(check).toMatchObject({ id: `test.${name}`, verdict: false });
    expect(check?.error?.name ?? "denied").toBe(name.startsWith("data") || name === "reasonNoText" ? "denied" : "Check error");
    expect(() => JSON.stringify(results)).not.toThrow();
  });
  test("failOnError turns an error into a failure", async () => {
    expect(await one({ "test.throws": { failOnError: true }, deny: true })).toMatchObject({ denied: true, check: { fail_on_error: true } });
  });
  test("a check that hangs is cut at its timeout and aborted", async () => {
    const { check } = await one({ "test.hangs": { timeout: 20 }, deny: true });
    expect(check).toMatchObject({ verdict: false, error: { name: "Timeout error", message: "test.hangs did not answer within 20 ms." } });
  });
  test("the client leaving ends a check that is waiting", async () => {
    const left = new AbortController();
    const running = asked([{ "test.hangs": {} }], { ...call, signal: left.signal });
    left.abort();
    expect((await running).results[0]?.checks[0]?.error?.name).toBe("Unavailable error");
  });
  test("an answer that is no verdict is an error", async () => {
    expect(await one({ "test.garbage": {} })).toMatchObject({ check: { verdict: false, error: { name: "Check error" } } });
  });
  test("a refused credential keeps a denying guardrail shut, unless the check says otherwise", async () => {
    expect(await one({ "test.badKey": {}, deny: true })).toMatchObject({ denied: true });
    expect(await one({ "test.badKey": {}, deny: false })).toMatchObject({ failed: false });
    expect(await one({ "test.badKey": { failOnError: false }, deny: true })).toMatchObject({ denied: false });
  });
  test("a transform that was not declared or does not fit never opens", async () => {
    expect(await one({ "test.sly": {}, deny: true })).toMatchObject({ denied: true, check: { transformed: false } });
    expect(await one({ "test.lost": { failOnError: false }, deny: true })).toMatchObject({
      denied: true,
      check: { error: { name: "Malformed transform error" } },
    });
  });
  test("a check on the wrong side is an error that says so", async () => {
    expect(await one({ "test.answers": {}, deny: true })).toMatchObject({
      denied: false,
      check: { error: { name: "Configuration error", message: "test.answers does not run on the input side." } },
    });
  });
});

describe("transforms", () => {
  test("change the request and never the original", async () => {
    const done = await asked([{ "test.mask": {}, deny: true }]);
    expect(JSON.parse(bodyText(done))).toEqual({ model: "m", messages: [{ role: "user", content: "my ***" }] });
    expect(bodyText({ call })).toContain("my secret");
    expect(done.results[0]).toMatchObject({ verdict: true, transformed: true });
  });
  test("in sequence and side by side no change undoes one before it", async () => {
    expect(bodyText(await asked([{ "test.mask": {}, "test.star": {}, sequential: true }]))).toContain("my ****");
    expect(bodyText(await asked([{ "test.mask": {}, "test.star": {} }]))).toContain("my ****");
    expect(bodyText(await asked([{ "test.mask": {} }, { "test.star": {} }]))).toContain("my ****");
    expect(bodyText(await asked([{ "test.star": {} }, { "test.mask": {}, sequential: true }]))).toContain("my ****");
  });
  test("reach the fields of a form, and its files stay", async () => {
    const data = new FormData();
    data.set("prompt", "my secret");
    data.set("image", new File([new Uint8Array([1, 2, 3])], "a.png", { type: "image/png" }));
    const wire = new Response(data);
    const contentType = wire.headers.get("content-type") ?? "";
    const body = {
      kind: "form-read" as const,
      contentType,
      bytes: new Uint8Array(await wire.arrayBuffer()),
      fields: { prompt: "my secret" },
    };
    const done = await asked([{ "test.mask": {} }], { ...callOf({}, { operation: "imageEdit" }), body });
    if (done.call.body.kind !== "form-read") throw new Error("the form is gone");
    const back = await new Response(done.call.body.bytes as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": done.call.body.contentType },
    }).formData();
    expect(back.get("prompt")).toBe("my ***");
    expect([...new Uint8Array(await (back.get("image") as File).arrayBuffer())]).toEqual([1, 2, 3]);
    expect(done.call.body.fields).toEqual({ prompt: "my ***" });
  });
});

describe("answers", () => {
  const body = { choices: [{ index: 0, message: { role: "assistant", content: "the secret" } }] };
  test("are judged and changed when they are good", async () => {
    const done = await guardOutput(active([{ "test.mask": {} }], deps), body, { call, status: 200, view }, deps);
    expect(JSON.stringify(done.body)).toContain("the ***");
  });
  test("of failures and of operations without content are left alone", async () => {
    const list = active([{ "test.deny": {}, deny: true }], deps);
    expect(await guardOutput(list, body, { call, status: 500, view }, deps)).toMatchObject({ denied: false, results: [] });
    expect(await guardOutput(list, body, { call: callOf({}, { operation: "embed" }), status: 200, view }, deps)).toMatchObject({
      denied: false,
      results: [],
    });
  });
});

describe("finding guardrails", () => {
  const found = (
    refs: readonly (string | Json)[],
    list = [savedGuardrail({ checks: [{ id: "test.deny" }] })],
    more: Partial<EngineDeps> = {},
  ) => guardrailFinder({ ...deps, records: recordsOf(list), ...more })(refs, caller);

  test("a saved one is found by slug and by id, without a promise when it is warm, and bound once", () => {
    const record = savedGuardrail({ checks: [{ id: "test.deny" }] });
    const find = guardrailFinder({ ...deps, records: recordsOf([record]) });
    const bySlug = find(["pg-1"], caller);
    expect(bySlug).not.toBeInstanceOf(Promise);
    expect(find([record.id, "pg-1"], caller)).toEqual(bySlug);
    expect((find(["pg-1"], caller) as readonly unknown[])[0]).toBe((bySlug as readonly unknown[])[0]);
  });
  test("a cold one is waited for", async () => {
    const list = await guardrailFinder({ ...deps, records: recordsOf([savedGuardrail({})], false) })(["pg-1"], caller);
    expect(list).toMatchObject([{ id: "pg-1", deny: true }]);
  });
  test("another tenant's, an archived one and one for tools are unknown", () => {
    for (const more of [
      { organisation_id: "other" },
      { workspace_id: "other" },
      { status: "archived" },
      { target: "mcp_tools" },
    ] as const) {
      expect(codeOf(() => found(["11111111-1111-4111-8111-111111111111"], [savedGuardrail(more)]))).toStartWith("GUARDRAIL_UNKNOWN");
    }
    expect(codeOf(() => found(["pg-none"]))).toStartWith("GUARDRAIL_UNKNOWN");
    expect(found(["pg-1"], [savedGuardrail({ workspace_id: null })])).toHaveLength(1);
  });
  test("a saved guardrail whose check is gone stays shut when it denies; an inline one is a mistake", async () => {
    const record = savedGuardrail({ checks: [{ id: "gone.check" }] });
    const done = await guardInput(found(["pg-1"], [record]) as never, call, view, deps); // warm records answer without a promise
    expect(done).toMatchObject({ denied: true, results: [{ checks: [{ verdict: false, error: { name: "Unavailable error" } }] }] });
    expect(codeOf(() => found([{ "gone.check": {} }]))).toStartWith("CHECK_UNKNOWN");
  });
  test("an inline check of an installed plugin that is down is unavailable, not unknown", async () => {
    const manifest: Manifest = {
      id: "gone",
      kind: "guardrail",
      version: "1.0.0",
      contract: "^1.0.0",
      title: "Gone",
      provides: ["gone.check"],
    };
    const plugins: EngineDeps["plugins"] = [
      {
        name: "guardrail/gone",
        manifest,
        origin: "built-in",
        required: false,
        isolate: "none",
        state: "failed",
        why: "",
        code: "PLUGIN_SETUP",
        provides: [],
      },
    ];
    expect(await asked([{ "gone.check": {}, deny: true }], call, { ...deps, plugins })).toMatchObject({ denied: true });
    expect(await asked([{ "gone.check": {}, deny: false }], call, { ...deps, plugins })).toMatchObject({ denied: false, failed: false });
  });
  test("the shorthand names checks of a bare pack by their names alone, and one check twice by its own id", () => {
    const named = new Map([...deps.checks].flatMap(([id, check]) => [[id, check] as const, [id.replace("test.", ""), check] as const]));
    expect(active([{ allow: {} }], { ...deps, checks: named })[0]?.checks.map(({ id }) => id)).toEqual(["test.allow"]);
    expect(active([{ first: { id: "test.allow" }, second: { id: "test.deny" } }], deps)[0]?.checks.map(({ id }) => id)).toEqual([
      "test.allow",
      "test.deny",
    ]);
  });
  test("the hook form is read too", () => {
    expect(
      active(
        [
          {
            type: "guardrail",
            id: "h",
            deny: true,
            checks: [
              { id: "test.allow", parameters: {} },
              { id: "test.deny", is_enabled: false },
            ],
          },
        ],
        deps,
      ),
    ).toMatchObject([{ id: "h", deny: true, checks: [{ id: "test.allow" }] }]);
  });
  test("wrong parameters are refused with the check, the guardrail and the reason", () => {
    for (const parameters of [
      {},
      { words: "a" },
      { words: [], scope: "everything" },
      { words: [], timeout: 0 },
      { words: [], failOnError: "yes" },
      { words: [], surprise: 1 },
    ]) {
      expect(codeOf(() => active([{ id: "g", "test.strict": parameters }], deps))).toContain(
        "The check test.strict of guardrail g has wrong parameters",
      );
    }
    expect(active([{ "test.strict": { words: [], scope: "turn", timeout: 5, failOnError: true } }], deps)).toMatchObject([
      { checks: [{ scope: "turn", timeoutMs: 5, failOnError: true }] },
    ]);
  });
});

test("a check sees the text of its scope, and no credential of the request", async () => {
  const headers = new Headers({ authorization: "Bearer x", "x-gateway-api-key": "k", "x-tenant": "t", "x-gateway-trace-id": "tr" });
  const nosy = madeCheck("nosy", ({ call: of }) => ({
    verdict: "allow",
    data: ["authorization", "X-Gateway-Api-Key", "x-tenant", "x-gateway-trace-id"].map((name) => of.header(name)),
  }));
  const using = depsWith([text, nosy]);
  const two = callOf(
    {
      messages: [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    },
    { headers },
  );
  const { results } = await asked(
    [{ last: { id: "test.text" }, every: { id: "test.text", scope: "all_messages" }, "test.nosy": {} }],
    two,
    using,
  );
  expect(results[0]?.checks.map(({ data }) => data)).toEqual(["b", "a\nb", [null, null, "t", "tr"]]);
});

describe("headers of the request", () => {
  const sent = new Headers({ "x-jwt-role": "admin", "x-tenant": "t" });
  const asks = (headers: Headers): typeof call => callOf({ messages: [{ role: "user", content: "a" }] }, { headers });
  const writes = (header: string, value: string | null, more: Json = {}) =>
    madeCheck("writes", () => ({ verdict: "transform", patches: [{ header, value }] }), { transforms: true, ...more });
  const reads = madeCheck("reads", ({ call: of }) => ({ verdict: "allow", data: of.header("x-jwt-sub") }));

  test("a check writes one, or takes away one of the client's, for what comes behind it", async () => {
    const two = madeCheck(
      "writes",
      () => ({
        verdict: "transform",
        patches: [
          { header: "X-Jwt-Sub", value: "ada" },
          { header: "x-jwt-role", value: null },
        ],
      }),
      { transforms: true },
    );
    const done = await asked([{ "test.writes": {}, "test.reads": {}, sequential: true }], asks(sent), depsWith([two, reads]));
    const { headers, body } = done.call;
    const all: Record<string, string> = {};
    headers.forEach((value, name) => void (all[name] = value));
    expect(all).toEqual({ "x-jwt-sub": "ada", "x-tenant": "t" });
    expect([headers.get("X-JWT-SUB"), headers.has("x-jwt-role"), body]).toEqual(["ada", false, asks(sent).body]);
    expect(done.results[0]?.checks[1]?.data).toBe("ada");
  });
  test("none that carries a credential, is the gateway's own, frames a message or cannot be sent", async () => {
    for (const [header, value] of [
      ["authorization", "Bearer x"],
      ["x-gateway-config", "{}"],
      ["x-api-key", "k"],
      ["content-type", "a/b"],
      ["x-a b", "c"],
      ["x-a", "c\r\nx-b: d"],
      ["x-a", "é"],
      ["x-a", "a".repeat(9_000)],
    ] as const) {
      const done = await asked([{ "test.writes": {} }], asks(sent), depsWith([writes(header, value)]));
      expect([header, done.failed, done.call.headers]).toEqual([header, true, sent]);
    }
  });
  test("a request that passes unread gets it, an answer does not", async () => {
    const passing = { ...asks(sent), body: { kind: "none" as const } };
    const anywhere = depsWith([writes("x-a", "b", { wants: [] })]);
    expect((await asked([{ "test.writes": {} }], passing, anywhere)).call.headers.get("x-a")).toBe("b");
    const answer = { choices: [{ message: { content: "hi" } }] };
    const judged = await guardOutput(active([{ "test.writes": {} }], anywhere), answer, { call, status: 200, view }, anywhere);
    expect([judged.failed, judged.body]).toEqual([true, answer]);
  });
  test("a check is shown the token it says it judges, and never a key of the gateway", async () => {
    const judge = (name: string) =>
      madeCheck("token", ({ credential }) => ({ verdict: "allow", data: { credential } }), { judgesCredential: () => name });
    const shown = async (name: string, headers: Record<string, string>, apiKey?: string) => {
      const on = { ...asks(new Headers(headers)), control: { rest: {}, ...(apiKey !== undefined && { apiKey }) } };
      const { results } = await asked([{ "test.token": {} }], on, depsWith([judge(name)]));
      return (results[0]?.checks[0]?.data as { credential?: unknown } | undefined)?.credential;
    };
    expect(await shown("Authorization", { authorization: "Bearer jwt" }, "own")).toBe("Bearer jwt");
    expect(await shown("x-user-jwt", { "x-user-jwt": "jwt", authorization: "Bearer own" })).toBe("jwt");
    expect(await shown("Authorization", { authorization: "Bearer own" })).toBeNull();
    expect(await shown("x-copy", { authorization: "Bearer own", "x-copy": "own" })).toBeNull();
    expect(await shown("x-gateway-api-key", { "x-gateway-api-key": "own" }, "own")).toBeNull();
    expect(await shown("x-absent", {}, "own")).toBeNull();
  });
});

test("checks that look at content do not run where there is none; the others do", async () => {
  const bare = madeCheck("bare", () => ({ verdict: "deny", reason: "no" }), { wants: [] });
  const { results } = await asked(
    [{ "test.deny": {}, "test.bare": {} }],
    callOf({}, { operation: "listFiles", body: { kind: "none" } }),
    depsWith([deny, bare]),
  );
  expect(results[0]?.checks.map(({ id }) => id)).toEqual(["test.bare"]);
});

describe("a text that is too much", () => {
  const deepens = madeCheck("deepens", function deepens(input): Verdict {
    return [deepens(input)] as never;
  });
  const says = (failure: "budget" | "busy") => madeCheck(failure, () => ({ verdict: "error", class: failure, message: "too much" }));
  test("for the stack is the error budget, not a crash that passes", async () => {
    const done = await guardInput(active([{ "test.deepens": {}, deny: true }], depsWith([deepens])), call, view, depsWith([deepens]));
    expect([done.denied, done.results[0]?.checks[0]?.error?.name]).toEqual([true, "Budget error"]);
  });
  test.each(["budget", "busy"] as const)(
    "is %s: it closes where the guardrail denies, whatever `failOnError` says, and else passes",
    async (failure) => {
      const using = depsWith([says(failure)]);
      const denied = async (more: Json) => {
        const { denied, failed } = await guardInput(
          active([{ [`test.${failure}`]: more["check"] ?? {}, deny: more["deny"] }], using),
          call,
          view,
          using,
        );
        return [denied, failed];
      };
      expect(await denied({ deny: true })).toEqual([true, true]);
      expect(await denied({ deny: true, check: { failOnError: false } })).toEqual([true, true]);
      expect(await denied({ deny: false })).toEqual([false, false]);
      expect(await denied({ deny: false, check: { failOnError: true } })).toEqual([false, true]);
    },
  );
});

test("a guardrail of more checks than anybody needs is refused", () => {
  const checks = Array.from({ length: 501 }, () => ({ id: "test.allow" }));
  expect(() => active([{ checks }], deps)).toThrow("at most 500");
});

describe("tool calls whose arguments nobody can read in time", () => {
  const args = `{"a":[${"{},".repeat(1_000_000)}{}]}`;
  const message = {
    role: "assistant",
    content: "hi",
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: args } }],
  };
  const said = ({ text }: { readonly text: string }): Verdict =>
    text.includes("zzz") ? { verdict: "deny", reason: "z" } : { verdict: "allow" };
  const made = [
    madeCheck("calls", said, { wants: ["text", "tool_call"], on: ["input", "output"] }),
    madeCheck("lateCalls", async (input) => said(input), { wants: ["text", "tool_call"] }),
  ];
  const using = depsWith([...made, text], { redact });
  const conversation = callOf({ model: "m", messages: [{ role: "user", content: "x" }, message] });

  test("are refused before a check that judges calls might fail, and pass", async () => {
    for (const id of ["test.calls", "test.lateCalls"])
      await expect(asked([{ [id]: {}, deny: true }], conversation, using)).rejects.toThrow(
        expect.objectContaining({ code: "BODY_TAKES_LONG" }),
      );
    const of = { call: conversation, status: 200, view };
    const judging = async () =>
      guardOutput(active([{ "test.calls": {}, deny: true }], using), { choices: [{ index: 0, message }] }, of, using);
    await expect(judging()).rejects.toThrow(expect.objectContaining({ code: "UPSTREAM_INVALID", status: 502 }));
  });
  test("are nothing to a check of texts", async () =>
    expect(await asked([{ "test.text": {} }], conversation, using)).toMatchObject({ denied: false, failed: false }));
});
