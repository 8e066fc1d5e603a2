import { describe, expect, test } from "bun:test";
import { GatewayError, type Json, NO_CONTENT, type SocketMessages } from "#contract";
import { callOf, slowness } from "#kit";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import type { SocketEnd, SocketListener } from "../../platform.ts";
import type { Ending } from "../stream/deliver.ts";
import type { SessionJudge } from "./judge.ts";
import { Session } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";

/** One end, as a test moves it. */
class End implements SocketEnd {
  readonly sent: (string | Uint8Array)[] = [];
  waiting = 0;
  isPaused = false;
  closed: readonly [code: number, reason: string] | undefined;
  listener: SocketListener | undefined;
  send(message: string | Uint8Array): void {
    this.sent.push(message);
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(code: number, reason: string): void {
    this.closed = [code, reason];
  }
  cut(): void {
    this.closed = [1006, ""];
  }
  listen(listener: SocketListener): void {
    this.listener = listener;
    listener.open(this);
  }
}

const MESSAGES = {
  limits: { messageBytes: 100, idleMs: 60_000 },
  content: NO_CONTENT,
  isMedia: () => false,
  mayBoundAnswer: () => false,
} as unknown as SocketMessages; // what no guardrail needs
const NO_JUDGE = { readsInput: false, readsModels: false, readsOutput: false, left: new AbortController() } as unknown as SessionJudge; // nobody looks on

function unopened(more: Partial<SessionParts> = {}, budget = new MemoryBudget(100 * 1024 * 1024)) {
  const clock = { now: 1_000 };
  const [client, upstream] = [new End(), new End()];
  const endings: Ending[] = [];
  const held = budget.hold();
  const session = new Session({
    call: { ...callOf({}), startedAt: 1_000 },
    caller: null as unknown as SessionParts["caller"], // nobody asks for it
    plan: null as unknown as SessionParts["plan"],
    held,
    messages: MESSAGES,
    provider: "acme",
    upstream,
    judge: NO_JUDGE,
    keptBytes: 1_000,
    stalledMs: 10_000,
    now: () => clock.now,
    spent: () => Promise.resolve(),
    identify: () => undefined,
    settle: (ending) => endings.push(ending),
    ...more,
  });
  const open = () => session.client.open(client);
  const toClient: SocketListener = {
    open: () => undefined,
    message: (message) => upstream.listener?.message(message),
    drained: () => upstream.listener?.drained(),
    closed: (code, reason) => upstream.listener?.closed(code, reason),
  };
  return { session, client, upstream, endings, held, clock, open, fromClient: session.client, toClient };
}
function joined(more: Partial<SessionParts> = {}, budget?: MemoryBudget) {
  const made = unopened(more, budget);
  made.open();
  return made;
}

describe("a session", () => {
  test("in which nobody says anything is closed in time, and not before", () => {
    const { session, client, upstream, clock, fromClient, endings } = joined();
    clock.now += 59_999;
    fromClient.message("hello");
    clock.now += 59_999;
    session.look();
    expect(client.closed).toBeUndefined();
    clock.now += 1;
    session.look();
    expect([client.closed, upstream.closed]).toEqual([
      [1001, "nothing was said for 60 s"],
      [1001, "nothing was said for 60 s"],
    ]);
    expect(endings).toMatchObject([{ ended: "ok", streamed: true, usage: null }]);
  });
  test.each(["client", "upstream"] as const)("whose %s takes nothing reads the other side no further, and goes on when it does", (who) => {
    const { session, client, upstream, held, fromClient, toClient } = joined();
    const [slow, quick] = who === "client" ? [client, upstream] : [upstream, client];
    const [from, drained] = who === "client" ? [toClient, fromClient] : [fromClient, toClient];
    slow.waiting = 2_000_000;
    from.message("one more");
    expect([quick.isPaused, held.bytes]).toEqual([true, 2_000_000]);
    slow.waiting = 0;
    drained.drained();
    expect([quick.isPaused, held.bytes]).toEqual([false, 0]);
    session.look();
    expect(client.closed).toBeUndefined();
  });
  test("whose reader stays away is closed", () => {
    const { session, client, clock, toClient, endings } = joined();
    client.waiting = 2_000_000;
    toClient.message("one more");
    clock.now += 10_000;
    session.look();
    expect([client.closed, endings[0]?.ended]).toEqual([[1006, ""], "partial"]); // what waits for it goes with it
    expect(endings[0]?.error?.message).toContain("nothing was taken for 10 s");
  });
  test("for which the process has no room is closed as one that may come again", () => {
    const { client, toClient, endings } = joined({}, new MemoryBudget(1_000_000));
    client.waiting = 2_000_000;
    toClient.message("one more");
    expect([client.closed?.[0], endings[0]?.error?.code]).toEqual([1013, "memory_full"]);
  });
  test("passes on what a provider says that would take long to read, and keeps nobody waiting for it", async () => {
    const messages = { ...MESSAGES, limits: { messageBytes: 32_000_000, idleMs: 60_000 }, mayBoundAnswer: () => true };
    const { client, toClient, endings } = joined({ messages });
    const deep = Buffer.from(`{"type":"response.done","x":${"[".repeat(15_000_000)}`).toString("latin1"); // one piece, as it comes from a socket
    const startedAt = performance.now();
    toClient.message(deep);
    expect(performance.now() - startedAt).toBeLessThan(50 * slowness());
    while (client.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect([client.sent[0] === deep, endings.length]).toEqual([true, 0]);
  });
  test("whose provider ends none of its answers is closed", () => {
    const answer = ({ id }: Json) => ({ id: String(id) });
    const messages = { ...MESSAGES, mayBoundAnswer: () => true, usage: () => undefined, answer };
    const { client, toClient, endings } = joined({ messages });
    for (let id = 0; id <= 1_000 && !client.closed; id += 1) toClient.message(JSON.stringify({ id: `resp_${id}` }));
    expect([client.sent.length, endings[0]?.error?.message]).toEqual([1_000, expect.stringContaining("1000 answers are under way")]);
  });
  test("ends at a message that is larger than allowed", () => {
    const { client, fromClient } = joined();
    fromClient.message("x".repeat(101));
    expect(client.closed).toEqual([1009, "a message is larger than 100 bytes"]);
  });
  test("goes on while the store of keys is away, and ends once, when it says no", async () => {
    const answers = [
      () => Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" })),
      () => Promise.reject(new GatewayError("KEY_UNKNOWN")),
      () => Promise.reject(new GatewayError("KEY_UNKNOWN")),
    ];
    const { session, client, endings } = joined({ identify: () => answers.shift()?.() });
    for (let look = 0; look < 3; look += 1) {
      expect(client.closed).toBeUndefined();
      session.look();
      await new Promise((resolve) => setImmediate(resolve));
      if (client.closed) break;
    }
    session.look();
    expect([client.closed?.[0], endings.length]).toEqual([1008, 1]);
  });
});

describe("a session that is told to leave before its client's side is open", () => {
  test.each([false, true])("closes it when it is (at the last call: %p)", (now) => {
    const { session, client, upstream, endings, open } = unopened();
    session.leave(now);
    open();
    expect([client.closed?.[0], upstream.closed?.[0], endings.length]).toEqual([1001, 1001, 1]);
  });
});

describe("an answer under way", () => {
  const messages: SocketMessages = {
    ...MESSAGES,
    mayBoundAnswer: () => true,
    answer: ({ id, ends }) => (typeof id === "string" ? { id, ...(ends === true && { ends }) } : undefined),
    usage: ({ used }) => (typeof used === "number" ? { input: used } : undefined),
    cancel: (id) => ({ cancel: id }),
  };
  const say = (message: Json): string => JSON.stringify(message);
  test("when the client leaves is cancelled, heard out and counted", async () => {
    const spent: number[] = [];
    const { client, upstream, endings, fromClient, toClient } = joined({
      messages,
      spent: async ({ input }) => void spent.push(input ?? 0),
    });
    toClient.message(say({ id: "a" }));
    client.waiting = 2_000_000;
    toClient.message(say({ id: "a", delta: "x" }));
    expect(upstream.isPaused).toBe(true);
    fromClient.closed(1000, "bye");
    expect([upstream.sent, upstream.closed, upstream.isPaused, endings]).toEqual([[say({ cancel: "a" })], undefined, false, []]);
    toClient.message(say({ id: "a", ends: true, used: 7 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect([upstream.closed, spent]).toEqual([[1000, "bye"], [7]]);
    expect(endings).toMatchObject([{ ended: "ok", usage: { input: 7 } }]);
  });
  test("is counted when the gateway closes the session, and the client is not kept waiting for that", async () => {
    const { client, upstream, endings, fromClient, toClient } = joined({ messages });
    toClient.message(say({ id: "a" }));
    fromClient.message("x".repeat(101));
    expect([client.closed?.[0], upstream.closed, endings.length]).toEqual([1009, undefined, 0]);
    toClient.message(say({ id: "a", ends: true, used: 7 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect([upstream.closed?.[0], endings[0]?.usage]).toEqual([1009, { input: 7 }]);
  });
  test("is waited for no longer than the provider is there, or than the gateway is", () => {
    const broken = joined({ messages });
    broken.toClient.message(say({ id: "a" }));
    broken.fromClient.closed(1006, "");
    broken.toClient.closed(1006, "");
    expect(broken.endings).toMatchObject([{ ended: "aborted" }]);
    const leaving = joined({ messages });
    leaving.toClient.message(say({ id: "a" }));
    leaving.fromClient.closed(1000, "");
    leaving.session.leave(true);
    expect([leaving.endings.length, leaving.upstream.closed]).toEqual([1, [1000, ""]]);
  });
  test("that never ends is waited for shortly", async () => {
    const ended = Promise.withResolvers<Ending>();
    const { fromClient, toClient } = joined({ messages, settle: ended.resolve });
    toClient.message(say({ id: "a" }));
    fromClient.closed(1000, "");
    expect(await ended.promise).toMatchObject({ ended: "ok", usage: null });
  });
});

test("a client whose messages are refused and who takes nothing is read no further until it does", async () => {
  const input = () => Promise.reject(new GatewayError("REQUEST_INVALID", { what: "x" }));
  const judge = { ...NO_JUDGE, readsInput: true, models: () => undefined, parsed: () => ({}), input } as unknown as SessionJudge; // what reads a client's texts
  const messages: SocketMessages = { ...MESSAGES, isKnown: () => true, refusal: () => ({ type: "error" }) };
  const { client, fromClient } = joined({ messages, judge });
  client.waiting = 2_000_000;
  fromClient.message("{}");
  while (client.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(client.isPaused).toBe(true);
  client.waiting = 0;
  fromClient.drained();
  expect(client.isPaused).toBe(false);
});
