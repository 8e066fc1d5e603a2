import { beforeEach, describe, expect, test } from "bun:test";
import { type Caller, GatewayError, isJson, type Json, type OperationId, type OperationRoute } from "#contract";
import { callOf, CALLERS, fakeHost, type FakeHost } from "#kit";
import { itemsOf } from "./items.ts";
import { type Kept, keptResponses, KeptResponses } from "./index.ts";
import { itemId } from "../output/item-id.ts";
import { MAX_BYTES } from "./store.ts";
import { verifies } from "../../../../tests/requirements/verifies.ts";

const DAY_MS = 86_400_000;
const NEEDS = ["records", "blobs", "vault"] as const;
let fake: FakeHost<(typeof NEEDS)[number]>;
let kept: Kept;
const setUp = (config: { days?: number; maxBytes?: number } = {}): Kept =>
  (kept = keptResponses(fake.host, { days: 30, maxBytes: 1e12, ...config }));
beforeEach(async () => {
  fake = await fakeHost(NEEDS, { collections: [KeptResponses] });
  setUp();
});

const message = (text: string): Json => ({
  id: `msg_${text}`,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const answer = (n: number, output: readonly Json[]): Json => ({ id: `resp_gw_${n}`, object: "response", status: "completed", output });
const asking = (body: Json) => callOf(body, { operation: "createModelResponse" });
const keep = (n: number, body: Json, output: readonly Json[] = [message(`answer ${n}`)], caller: Caller = CALLERS.workspace) =>
  kept.create.keeps.keep(answer(n, output), asking(body), caller, null);
const inputOf = async (body: Json, caller: Caller = CALLERS.workspace): Promise<unknown> => {
  const made = await kept.create.prepare(asking(body), caller);
  return made?.body["input"];
};
const routeOf = (operation: OperationId): OperationRoute => {
  const route = kept.later.find((one) => one.operation === operation);
  if (!route) throw new Error(`${operation} is not mounted`);
  return route;
};
const later = async (operation: OperationId, id: string, search = "", caller: Caller = CALLERS.workspace): Promise<Json | undefined> => {
  const call = { ...callOf({}, { operation }), params: { response_id: id }, search };
  return routeOf(operation).local?.(call, caller, {} as never); // no plan is looked at
};
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "an answer",
    (error: unknown) => (GatewayError.is(error) ? error.code : error),
  );
const records = () => fake.host.records.in(KeptResponses);
const retain = () => kept.jobs[0]?.run(new AbortController().signal);

describe("what is kept", () => {
  test("comes back as it was answered, with what it continued", async () => {
    await keep(1, { input: "Hello" });
    await keep(2, { input: "And now?", previous_response_id: "resp_gw_1" });
    expect(await later("getModelResponse", "resp_gw_1")).toEqual({
      ...answer(1, [message("answer 1")]),
      previous_response_id: null,
      store: true,
    });
    expect(await later("getModelResponse", "resp_gw_2")).toMatchObject({ id: "resp_gw_2", previous_response_id: "resp_gw_1" });
  });
  test("lies sealed in the store", async () => {
    await keep(1, { input: "Nobody else's business" });
    const stored = await fake.storage.blobs?.get("responses/resp_gw_1");
    const text = Buffer.from(await new Response(stored).arrayBuffer()).toString("latin1");
    expect(text.length).toBeGreaterThan(100);
    expect(text).not.toContain("business");
    expect(JSON.stringify(await records().get("resp_gw_1"))).not.toContain("business");
    expect(JSON.stringify(fake.lines)).not.toContain("business");
  });
  test("is everything but what says no, and under x-gateway-debug: false only what says yes", () => {
    const wants = (body: Json, debug?: boolean) =>
      kept.create.keeps.wants({ ...asking(body), control: { rest: {}, ...(debug !== undefined && { debug }) } }, CALLERS.workspace);
    expect([wants({}), wants({ store: null }), wants({ store: true }), wants({ store: false })]).toEqual([true, true, true, false]);
    expect([wants({}, false), wants({ store: true }, false), wants({ store: false }, false)]).toEqual([false, true, false]);
  });
  test("is the answer in a stream's last event, whatever the texts before it say", () => {
    const { completed } = kept.create.keeps;
    const frame = (event: string, data: Json) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    const says = message('event: response.completed\ndata: {"response":{}}\n\n');
    const delta = frame("response.output_text.delta", { delta: "event: response.completed\ndata: {}" });
    expect(completed(delta)).toBeUndefined();
    expect(completed("")).toBeUndefined();
    const last = frame("response.completed", { type: "response.completed", response: answer(1, [says]) });
    expect(completed(delta + last)).toEqual(answer(1, [says]));
    expect(completed(frame("response.incomplete", { response: answer(2, []) }))).toEqual(answer(2, []));
    expect(completed(frame("response.failed", { response: answer(3, []) }))).toBeUndefined();
  });
  test("is nothing that a provider made, and nothing larger than the bound", async () => {
    await kept.create.keeps.keep({ ...answer(1, []), id: "resp_of_a_provider" }, asking({}), CALLERS.workspace, null);
    expect((await records().list({ limit: 1, offset: 0 })).total).toBe(0);
    await expect(codeOf(keep(2, { input: "x".repeat(MAX_BYTES) }))).resolves.toMatchObject({ message: expect.stringContaining("at most") });
    expect(await codeOf(later("getModelResponse", "resp_gw_2"))).toBe("NOT_FOUND");
  });
  test("is not half there when the store breaks off", async () => {
    const storage = { ...fake.storage, blobs: { ...fake.host.blobs, put: () => Promise.reject(new Error("no room")) } };
    fake = await fakeHost(NEEDS, { collections: [KeptResponses], storage });
    setUp();
    await expect(codeOf(keep(1, { input: "Hello" }))).resolves.toMatchObject({ message: "no room" });
    expect(await codeOf(later("getModelResponse", "resp_gw_1"))).toBe("NOT_FOUND");
    expect((await records().list({ limit: 1, offset: 0 })).total).toBe(0);
  });
});

describe("a conversation", () => {
  test("goes on from a kept response with all that was said, the newest input last", async () => {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "{}", status: "completed" };
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2ln" };
    await keep(1, { input: "Is it warm?" }, [thought, call]);
    await keep(2, { input: [{ type: "function_call_output", call_id: "call_1", output: "20" }], previous_response_id: "resp_gw_1" });
    expect(await inputOf({ input: "And tomorrow?", previous_response_id: "resp_gw_2" })).toEqual([
      ...itemsOf("Is it warm?"),
      thought, // no provider takes one without its id
      { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "20" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "answer 2", annotations: [] }] },
      ...itemsOf("And tomorrow?"),
    ]);
  });
  test("keeps everything else of the request, and says what it continues to who writes the answer", async () => {
    await keep(1, { input: "Hello" });
    const body = { model: "m", temperature: 0, previous_response_id: "resp_gw_1" };
    const made = await kept.create.prepare(asking(body), CALLERS.workspace);
    expect(made).toMatchObject({ body: { model: "m", temperature: 0 }, echo: { previous_response_id: "resp_gw_1" } });
    expect(made?.body).not.toHaveProperty("previous_response_id");
    expect(made?.bytes).toBeGreaterThan(100);
  });
  test("that its provider keeps is left to it, without a promise", () => {
    for (const previous of [undefined, null, "resp_68a", 7])
      expect(kept.create.prepare(asking({ input: "x", previous_response_id: previous }), CALLERS.workspace)).toBeUndefined();
  });
  test("is not continued where a turn of it is unknown, gone, another's, or its time is over", async () => {
    await keep(1, { input: "one" });
    await keep(2, { input: "two", previous_response_id: "resp_gw_1" });
    const lost = "PREVIOUS_RESPONSE_NOT_FOUND";
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_9" }))).toBe(lost);
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_2" }, CALLERS.second))).toBe(lost);
    await later("deleteModelResponse", "resp_gw_1");
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_2" }))).toBe(lost);
    await keep(3, { input: "three" });
    fake.clock.now += 31 * DAY_MS;
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_3" }))).toBe(lost);
  });
  test("has a bound in turns, in items and in bytes", async () => {
    await keep(0, { input: "x" });
    for (let n = 1; n <= 500; n += 1) await keep(n, { input: "x", previous_response_id: `resp_gw_${n - 1}` });
    expect(isJson((await kept.create.prepare(asking({ previous_response_id: "resp_gw_499" }), CALLERS.workspace))?.body)).toBe(true);
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_500" }))).toBe("CONVERSATION_TOO_LONG");
    const long = "x".repeat(MAX_BYTES - 10_000);
    for (let n = 1_000; n < 1_005; n += 1) await keep(n, { input: long, ...(n > 1_000 && { previous_response_id: `resp_gw_${n - 1}` }) });
    expect(isJson((await kept.create.prepare(asking({ previous_response_id: "resp_gw_1003" }), CALLERS.workspace))?.body)).toBe(true);
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_1004" }))).toBe("CONVERSATION_TOO_LONG");
    await keep(2_000, { input: Array.from({ length: 5_001 }, () => ({ role: "user", content: "x" })) });
    expect(await codeOf(inputOf({ previous_response_id: "resp_gw_2000" }))).toBe("CONVERSATION_TOO_LONG");
  });
});

describe("a reference to an item of an earlier answer", () => {
  const seeds = ["a".repeat(32), "b".repeat(32)] as const;
  const idOf = (n: 0 | 1, index: number): string => itemId("msg", { seed: seeds[n], index });
  const refer = (id: string): Json => ({ type: "item_reference", id });
  const keepOwn = (n: 0 | 1, input: unknown, texts: readonly string[], caller: Caller = CALLERS.workspace) => {
    const output = texts.map((text, index) => ({ ...message(text), id: idOf(n, index) }));
    return kept.create.keeps.keep({ ...answer(n, output), id: `resp_gw_${seeds[n]}` }, asking({ input }), caller, null);
  };
  const messageItem = (text: string): Json => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  });

  test("is the item itself, in its place", async () => {
    await keepOwn(0, "Hello", ["one", "two"]);
    await keepOwn(1, [refer(idOf(0, 1)), { role: "user", content: "And?" }], ["three"]);
    const user = { role: "user", content: "Go on." };
    const body = { model: "m", input: [refer(idOf(0, 1)), { id: idOf(1, 0) }, user, refer("msg_of_a_provider")] };
    const made = await kept.create.prepare(asking(body), CALLERS.workspace);
    expect(made?.body).toEqual({ model: "m", input: [messageItem("two"), messageItem("three"), user, refer("msg_of_a_provider")] });
    expect(made?.bytes).toBeGreaterThan(100);
    expect(await inputOf({ input: "More.", previous_response_id: `resp_gw_${seeds[1]}` })).toEqual([
      messageItem("two"),
      { role: "user", content: "And?" },
      messageItem("three"),
      ...itemsOf("More."),
    ]);
  });
  test("finds nothing of another workspace's, nor what was never said or is gone", async () => {
    await keepOwn(0, "Hello", ["one"]);
    const input = [refer(idOf(0, 0))];
    for (const caller of [CALLERS.second, CALLERS.theirs]) expect(await codeOf(inputOf({ input }, caller))).toBe("REQUEST_INVALID");
    expect(await codeOf(inputOf({ input: [refer(idOf(0, 1))] }))).toBe("REQUEST_INVALID");
    await later("deleteModelResponse", `resp_gw_${seeds[0]}`);
    expect(await codeOf(inputOf({ input }))).toBe("REQUEST_INVALID");
  });
  test("costs nothing where there is none of the gateway's", () => {
    for (const input of ["Hello", undefined, [refer("msg_68a")], [{ role: "user", content: "x" }]])
      expect(kept.create.prepare(asking({ input }), CALLERS.workspace)).toBeUndefined();
  });
});
describe("later", () => {
  test("another workspace's key, and another organisation's, find nothing; nor do they delete it", async () => {
    await keep(1, { input: "Hello" });
    for (const caller of [CALLERS.second, CALLERS.theirs, CALLERS.admin])
      for (const operation of ["getModelResponse", "deleteModelResponse", "cancelModelResponse", "listResponseInputItems"] as const)
        expect([operation, await codeOf(later(operation, "resp_gw_1", "", caller))]).toEqual([operation, "NOT_FOUND"]);
    expect(await later("getModelResponse", "resp_gw_1")).toBeDefined();
  });
  test("a provider's id is none of the gateway's business", async () => {
    for (const operation of ["getModelResponse", "deleteModelResponse", "cancelModelResponse", "listResponseInputItems"] as const)
      expect(
        routeOf(operation).local?.({ ...callOf({}, { operation }), params: { response_id: "resp_1" } }, CALLERS.workspace, {} as never),
      ).toBeUndefined();
  });
  test("a deleted response is gone, its content too", async () => {
    await keep(1, { input: "Hello" });
    expect(await later("deleteModelResponse", "resp_gw_1")).toEqual({ id: "resp_gw_1", object: "response", deleted: true });
    expect(await codeOf(later("getModelResponse", "resp_gw_1"))).toBe("NOT_FOUND");
    expect(await codeOf(later("deleteModelResponse", "resp_gw_1"))).toBe("NOT_FOUND");
    expect(await fake.storage.blobs?.get("responses/resp_gw_1")).toBeUndefined();
  });
  test("what is complete cannot be cancelled, nor given as a stream", async () => {
    await keep(1, { input: "Hello" });
    await expect(later("cancelModelResponse", "resp_gw_1")).rejects.toThrow("is completed: only one that runs in the background");
    await expect(later("getModelResponse", "resp_gw_1", "?stream=true")).rejects.toThrow("leave out stream");
    expect(await later("getModelResponse", "resp_gw_1", "?include=reasoning.encrypted_content&stream=false")).toBeDefined();
  });
  test(verifies("D7.kept.pages", "items of the input come page by page, in either order, each with an id that stays"), async () => {
    await keep(1, { input: "one" }, [{ ...message("answer 1"), id: "msg_10000" }]); // made like the input's own

    await keep(2, {
      input: [
        { role: "user", content: "two" },
        { role: "user", content: "three" },
      ],
      previous_response_id: "resp_gw_1",
    });
    const page = async (search: string) =>
      (await later("listResponseInputItems", "resp_gw_2", search)) as { data: Json[]; has_more: boolean; last_id: string }; // what it gives
    const all = await page("?order=asc");
    const texts = (items: readonly Json[]) => items.map(({ content }) => (content as Json[])[0]?.text);
    expect(texts(all.data)).toEqual(["one", "answer 1", "two", "three"]);
    expect(all).toMatchObject({ object: "list", has_more: false, first_id: all.data[0]?.id, last_id: all.data[3]?.id });
    expect(new Set(all.data.map(({ id }) => id)).size).toBe(4);
    expect(texts((await page("")).data)).toEqual(["three", "two", "answer 1", "one"]);
    const first = await page("?limit=2");
    expect([texts(first.data), first.has_more]).toEqual([["three", "two"], true]);
    const rest = await page(`?limit=2&after=${first.last_id}`);
    expect([texts(rest.data), rest.has_more]).toEqual([["answer 1", "one"], false]);
    for (const search of ["?limit=0", "?limit=101", "?limit=x", "?order=up", "?after=msg_none"])
      expect([search, await codeOf(page(search))]).toEqual([search, "REQUEST_INVALID"]);
  });
});

describe("retention", () => {
  test("deletes what is older than its days, and nothing that is younger", async () => {
    await keep(1, { input: "old" });
    fake.clock.now += 20 * DAY_MS;
    await keep(2, { input: "new" });
    fake.clock.now += 11 * DAY_MS;
    await retain();
    expect((await records().list({ limit: 5, offset: 0 })).data.map(({ id }) => id)).toEqual(["resp_gw_2"]);
    expect(await fake.storage.blobs?.get("responses/resp_gw_1")).toBeUndefined();
    expect(await later("getModelResponse", "resp_gw_2")).toBeDefined();
  });
  test("deletes the oldest until the rest fits", async () => {
    for (let n = 1; n <= 6; n += 1) {
      await keep(n, { input: "x".repeat(1_000) });
      fake.clock.now += DAY_MS / 2;
    }
    const { bytes = 0 } = (await records().get("resp_gw_1")) ?? {};
    setUp({ maxBytes: 3 * bytes });
    await retain();
    expect(
      (await records().list({ orderBy: { by: "created_at", direction: "asc" }, limit: 9, offset: 0 })).data.map(({ id }) => id),
    ).toEqual(["resp_gw_4", "resp_gw_5", "resp_gw_6"]);
    expect(fake.lines.filter(({ event }) => event === "old responses deleted")).toHaveLength(1);
  });
  test("deletes more than a page at a time", async () => {
    for (let n = 0; n < 1_001; n += 1) await keep(n, { input: "x" });
    fake.clock.now += 31 * DAY_MS;
    await retain();
    expect((await records().list({ limit: 1, offset: 0 })).total).toBe(0);
  });
});
