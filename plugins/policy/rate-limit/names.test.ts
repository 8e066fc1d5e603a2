import { describe, expect, test } from "bun:test";
import {
  type Call,
  type Caller,
  Integrations,
  type Json,
  type Leaf,
  type Plan,
  Providers,
  type RecordsHandle,
  type TargetNode,
  Workspaces,
} from "#contract";
import { nameReader, readsOf } from "./names.ts";

const LOOKED_UP = new Map<object, (values: readonly string[]) => string | undefined>([
  [Providers, ([workspaceId, slug]) => (workspaceId === "ws" && (slug === "team" || slug === "other") ? slug : undefined)],
  [Integrations, ([id]) => ({ team: "openai", other: "anthropic" })[id ?? ""]],
  [Workspaces, () => "main"],
]);
/** Look-ups that are warm, or have to be waited for. */
const records = (warm: boolean) =>
  ({
    lookup:
      (collection: object) =>
      (...values: string[]) =>
        warm ? LOOKED_UP.get(collection)?.(values) : Promise.resolve(LOOKED_UP.get(collection)?.(values)),
  }) as unknown as RecordsHandle; // nothing else is used
const caller = { workspaceId: "ws", keyId: "key" } as Caller; // what the test reads of it
const call = (body: Json, control: Partial<Call["control"]> = {}, search = ""): Call =>
  ({
    operation: "chatComplete",
    control: { rest: {}, ...control },
    search,
    body: { kind: "json", value: body, text: JSON.stringify(body) },
  }) as Call; // what the test reads of it
const form = (search: string, model?: string): Call =>
  ({ operation: "createTranscription", control: { rest: {} }, search, body: { kind: "form", model: () => model } }) as unknown as Call; // what the test reads of it
const leaf = (more: Partial<Leaf> = {}) =>
  ({ kind: "leaf", provider: "openai", overrideParams: null, defaultParams: null, dropParams: [], ...more }) as Leaf; // what the test reads of it
const branch = (...targets: TargetNode[]) => ({ kind: "branch", mode: "fallback", targets }) as unknown as TargetNode; // what the test reads of it
const planned = (root: TargetNode, body: Json): Plan =>
  ({ root, metadata: {}, configSlug: null, model: typeof body["model"] === "string" ? body["model"] : null }) as unknown as Plan; // what the test reads of it

/** Provider and models of each target, as conditions see them. */
async function seen(root: TargetNode, body: Json = { model: "sent" }, asked: Call = call(body)): Promise<unknown> {
  const views = await nameReader(records(true))(asked, caller, planned(root, body));
  return views.map((names) => [names("provider")[0] ?? null, ...names("model")]);
}

describe("the model that conditions and groups see", () => {
  const over = (model: unknown, more: Partial<Leaf> = {}): Leaf => leaf({ overrideParams: { model }, ...more });
  const fallback = (model: unknown, more: Partial<Leaf> = {}): Leaf => leaf({ defaultParams: { model }, ...more });
  test.each<[string, Leaf, Json, unknown]>([
    ["what was sent", leaf(), { model: "sent" }, ["openai", "sent"]],
    ["an override", over("x"), { model: "sent" }, ["openai", "x"]],
    ["an override where nothing was sent", over("x"), {}, ["openai", "x"]],
    ["a default where something was sent", fallback("x"), { model: "sent" }, ["openai", "sent"]],
    ["a default where nothing was sent", fallback("x"), {}, ["openai", "x"]],
    ["a default where null was sent", fallback("x"), { model: null }, ["openai"]],
    ["an override over a default", over("x", { defaultParams: { model: "y" } }), {}, ["openai", "x"]],
    ["an override that is null", over(null), { model: "sent" }, ["openai", "sent"]],
    ["an override that is no text", over(4), { model: "sent" }, ["openai"]],
    ["an override of something else", leaf({ overrideParams: { temperature: 0 } }), { model: "sent" }, ["openai", "sent"]],
    ["an override that is dropped again", over("x", { dropParams: ["model"] }), { model: "sent" }, ["openai", "sent"]],
    ["@slug/model in an override", over("@team/x"), { model: "@other/sent" }, ["openai", "@team/x", "x"]],
    ["@slug/model in an override wins over the target", over("@other/x"), { model: "sent" }, ["anthropic", "@other/x", "x"]],
    ["@slug/model in a default", fallback("@other/x"), {}, ["anthropic", "@other/x", "x"]],
    ["a plain override takes a sent @slug away", over("x"), { model: "@other/sent" }, ["openai", "x"]],
    ["an override at a saved provider", over("x", { provider: "@team" }), {}, ["openai", "@team/x", "x"]],
    ["an @ without a slash is a model's name", leaf(), { model: "@team" }, ["openai", "@team"]],
    ["a slug that nobody saved", leaf(), { model: "@nobody/m" }, [null, "@nobody/m", "m"]],
  ])("%s", async (_, root, body, expected) => expect(await seen(root, body)).toEqual([expected]));

  test("every target's own, each once", async () => {
    const root = branch(leaf(), over("x"), branch(over("x"), over("@other/y"), leaf({ provider: "@team" })));
    expect(await seen(root)).toEqual([
      ["openai", "sent"],
      ["openai", "x"],
      ["anthropic", "@other/y", "y"],
      ["openai", "@team/sent", "sent"],
    ]);
    expect(await seen(root, { model: "@team/m" })).toEqual([
      ["openai", "@team/m", "m"],
      ["openai", "x"],
      ["anthropic", "@other/y", "y"],
    ]);
  });
  test("places that only look alike stay apart", async () => {
    expect(await seen(branch(over("x/y"), over("y", { provider: "openai/x" })))).toEqual([
      ["openai", "x/y"],
      ["openai/x", "y"],
    ]);
    expect(await seen(branch(leaf(), over(null), over("undefined"), over("null")))).toEqual([
      ["openai", "sent"],
      ["openai", "undefined"],
      ["openai", "null"],
    ]);
  });
  test("the target's own parameters do not reach a form, and its model may stand in the query", async () => {
    expect(await seen(over("x"), {}, form("?model=whisper"))).toEqual([["openai", "whisper"]]);
    expect(await seen(over("x"), {}, form(""))).toEqual([["openai"]]);
    expect(await seen(over("x"), {}, form("?model=other", "whisper"))).toEqual([["openai", "whisper"]]);
  });
  test("where a target names no provider the request's headers do", async () => {
    expect(await seen(leaf({ provider: null }), { model: "m" }, call({}, { virtualKey: "other" }))).toEqual([
      ["anthropic", "@other/m", "m"],
    ]);
    expect(await seen(leaf({ provider: null }), { model: "m" }, call({}, { provider: "groq", virtualKey: "other" }))).toEqual([
      ["groq", "m"],
    ]);
    expect(await seen(leaf({ provider: null }))).toEqual([[null, "sent"]]);
  });
});

test("names are there at once when what is looked up is warm, and the same when it is not", async () => {
  const body = { model: "m" };
  const ask = (warm: boolean) => nameReader(records(warm))(call(body), caller, planned(leaf({ provider: "@team" }), body));
  const [warm, cold] = [ask(true), ask(false)];
  expect([warm instanceof Promise, cold instanceof Promise]).toEqual([false, true]);
  const allNames = (views: Awaited<typeof warm>) =>
    views.map((names) => ["provider", "virtual_key", "model", "workspace_id", "endpoint_type"].map((key) => [...names(key)]));
  expect(allNames(await cold)).toEqual(allNames(await warm));
  expect(allNames(await warm)).toEqual([[["openai"], ["team", "@team"], ["@team/m", "m"], ["ws", "main"], ["chatComplete"]]]);
});

test("what no condition and no group asks for is not looked up", () => {
  const none = { lookup: () => () => expect.unreachable() } as unknown as RecordsHandle; // nothing else is used
  const places = nameReader(none)(
    call({}),
    caller,
    planned(branch(leaf(), leaf({ provider: "@team" })), {}),
    readsOf(new Set(["api_key"])),
  );
  expect(Array.isArray(places) && places.map((names) => names("api_key"))).toEqual([["key"]]);
});
