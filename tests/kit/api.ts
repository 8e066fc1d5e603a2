import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import {
  type Api,
  type Collected,
  type Dialect,
  type EncodeOptions,
  inputTokens,
  isJson,
  isOperationName,
  type Json,
  OPERATION_IDS,
  mountedOperation,
  outputTokens,
  type StreamEvent,
} from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import { testRoutes } from "./routes.ts";
import { atWork, type PluginCase } from "./set-up.ts";
import { CALLERS } from "./tenants.ts";
import { expectDescribed, partsOf, rulesOf } from "./config.ts";
import { eventsOf } from "./stream.ts";
import { callOf } from "./call.ts";

/** Conformance of a data-plane plugin: its operations, its routes and the dialects it speaks. */
export async function testApi(given: PluginCase<"api">): Promise<void> {
  const { manifest } = given;
  const { provides, close } = await atWork(given); // what it mounts is known without its being at work
  await close();
  const { operations = [], dialects = [], routes = [], obeys }: Api = provides;
  const mounted = operations.map((route) => ({ ...route, row: mountedOperation(route.operation, route) }));

  describe(`api ${manifest.id}`, () => {
    test("mounts operations of the table and of its own, those that its manifest lists", () => {
      const ids = mounted.map(({ row }) => row.id);
      expect([...ids].sort() as string[]).toEqual([...(manifest.provides ?? [])].sort());
      expect(ids.filter((id) => !isOperationName(id))).toEqual([]);
    });
    test("describes the members of configs that it obeys", () => expectDescribed(...partsOf(obeys)));
    test("says what the bodies of requests look like, and shows one of each that is JSON", () => {
      for (const { row, body, json = row.body === "json" ? body : undefined, examples = {} } of mounted) {
        if (row.body === "none") continue;
        expect([row.id, body?.["type"]]).toEqual([row.id, "object"]);
        const shown = Object.values(examples);
        expect([row.id, shown.length > 0]).toEqual([row.id, json !== undefined]);
        for (const example of shown) expect([row.id, example, json && Value.Check(json, example)]).toEqual([row.id, example, true]);
      }
    });
    test("lets members that it does not know travel on", () => {
      for (const { row, body, json, query } of mounted)
        for (const schema of [body, json, query])
          if (schema?.["type"] === "object") expect([row.id, schema["additionalProperties"]]).toEqual([row.id, true]);
    });
    test("leaves a body alone that refers to nothing, and finds no end of an answer in odd wire text", () => {
      for (const { row, prepare, keeps, examples = {} } of mounted) {
        for (const example of Object.values(examples))
          expect([row.id, prepare?.(callOf(example), CALLERS.workspace)]).toEqual([row.id, undefined]);
        for (const wire of ["", "\n\n", "data: [DONE]\n\n", "event: x\ndata: {}\n\n", 'data: "{\n\n'])
          expect([row.id, wire, keeps?.completed(wire)]).toEqual([row.id, wire, undefined]);
      }
    });
    testRoutes(() => ({ operations: new Map(mounted.map((route) => [route.row.id, route])), routes, config: rulesOf() }), manifest.scopes);
    for (const dialect of dialects) describe(`dialect ${dialect.id}`, () => testDialect(dialect));
  });
}

const OPTIONS: EncodeOptions = { id: "answer-1", model: "kit-model", created: 1_767_225_600, usage: true, strict: true };
const EVENTS: Readonly<Record<string, readonly StreamEvent[]>> = {
  "a text": [
    start(),
    { type: "text", text: "Grüße " },
    { type: "text", text: "😀\n\ndata: x" },
    { type: "finish", reason: "stop" },
    usage(),
  ],
  "an answer cut by its length": [start(), { type: "text", text: "a" }, { type: "finish", reason: "length" }, usage()],
  "an empty answer": [start(), { type: "finish", reason: "stop" }, usage()],
  "tool calls": [
    start(),
    { type: "tool", index: 0, id: "call_a", name: "weather", arguments: '{"city":' },
    { type: "tool", index: 0, arguments: '"Köln"}' },
    { type: "tool", index: 1, id: "call_b", name: "time", arguments: "{}" },
    { type: "finish", reason: "tool_calls" },
    usage(),
  ],
};
function start(): StreamEvent {
  return { type: "start", id: OPTIONS.id, model: OPTIONS.model, created: OPTIONS.created };
}
function usage(): StreamEvent {
  return { type: "usage", usage: { input: 5, cacheRead: 2, output: 7 } };
}

/** What a client of the dialect can tell of an answer. */
const toldOf = ({ choices, usage: counts, model }: Collected): unknown => ({
  model,
  choices: choices.map(({ text, tools, finish }) => ({ text, tools, finish })),
  tokens: counts && [inputTokens(counts), outputTokens(counts)],
});

/** A plugin's own operation may have neither tools nor usage, and end in one way only: it says texts. */
const ALL_SAY: ReadonlySet<string> = new Set(["a text", "an empty answer"]);
/** Operations of the table whose answers have no place for tool calls. */
const WITHOUT_TOOLS: ReadonlySet<string> = new Set(["complete"]);
const textOf = ({ choices }: Collected): unknown => choices.map(({ text }) => text).join("");
const isOwn = ({ operation }: Dialect): boolean => !(OPERATION_IDS as readonly string[]).includes(operation);

function testDialect(dialect: Dialect): void {
  const wireOf = (events: readonly StreamEvent[], options = OPTIONS): string => {
    const encoder = dialect.encode(options);
    return events.map((event) => encoder.event(event)).join("") + encoder.end();
  };
  const decoded = (wire: string): Collected => collect(eventsOf(dialect.decode, [new TextEncoder().encode(wire)]));

  for (const [name, events] of Object.entries(EVENTS)) {
    if (isOwn(dialect) && !ALL_SAY.has(name)) continue;
    if (WITHOUT_TOOLS.has(dialect.operation) && name === "tool calls") continue;
    const told = isOwn(dialect) ? textOf : toldOf;
    test(`${name}: whole, it reads what it writes`, () => {
      const answer = collect(events);
      expect(told(collect(dialect.read(dialect.write(answer, OPTIONS))))).toEqual(told(answer));
    });
    test(`${name}: streamed, it decodes what it encodes`, () => expect(told(decoded(wireOf(events)))).toEqual(told(collect(events))));
  }
  if (isOwn(dialect)) return;
  test("usage that the client did not ask for is not told in the stream", () => {
    expect(decoded(wireOf(EVENTS["a text"] ?? [], { ...OPTIONS, usage: false })).usage).toBeUndefined();
  });
  test("asking for usage leaves the body as it was, but for that", () => {
    const body: Json = Object.freeze({ model: "m", stream: true, x_member_of_tomorrow: [1] });
    expect(dialect.withUsage(body)).toMatchObject(body);
    expect(dialect.asksUsage(dialect.withUsage(body))).toBeTrue();
  });
  test("takes no odd frame for usage", () => {
    for (const data of ["", "[DONE]", "{", "null", "[]", '"usage"', '{"usage":null}', '{"choices":[]}'])
      expect([data, dialect.isUsageFrame(data)]).toEqual([data, false]);
  });
  test("says an error in mid-stream, and a note, in frames that clients can read", () => {
    const encoder = dialect.encode(OPTIONS);
    const failure = encoder.error({ message: "no", type: "api_error", param: null, code: null });
    expect(failure).toContain("no");
    expect(() => decoded(`${wireOf(EVENTS["a text"] ?? []).split("\n\n")[0]}\n\n${failure}`)).toThrow("no");
    for (const line of encoder
      .note({ hook_results: { before_request_hooks: [] } })
      .split("\n")
      .filter((one) => one.startsWith("data: ")))
      expect(isJson(JSON.parse(line.slice(6)))).toBeTrue();
  });
}
