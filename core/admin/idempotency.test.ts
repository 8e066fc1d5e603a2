import { beforeEach, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { defineRoute, GatewayError, type KeyValue } from "#contract";
import { fakeHost } from "../../tests/kit/host.ts";
import { CALLERS } from "../../tests/kit/tenants.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import { createVault } from "../kernel/secrets/vault.ts";
import { type Remembering, remembering } from "./idempotency.ts";

const NOW = Date.UTC(2026, 0, 1);
const away = (): never => {
  throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "kv" });
};
const REFUSED = new GatewayError("REQUEST_INVALID", { what: "No." });

describe("requests with an Idempotency-Key", () => {
  let by: Remembering;
  let logged: string[];
  let ran: number;
  beforeEach(async () => {
    const { storage } = await fakeHost([]);
    logged = [];
    ran = 0;
    const { kv = expect.unreachable(), counters = expect.unreachable() } = storage;
    const vault = createVault("a secret key for tests, long enough", () => undefined);
    by = { kv, counters, vault, log: (_, event) => void logged.push(event) };
  });
  /** Sends one; the route answers what `run` does. */
  const send = async (key: string, run: () => unknown, caller: keyof typeof CALLERS = "admin", at: Partial<Remembering> = {}) => {
    const route = defineRoute({
      ...({ plane: "control", method: "POST", path: "/things", tag: "Things", summary: "Make", scope: "things.create" } as const),
      reply: Type.Unknown(),
      handle: () => {
        ran += 1;
        return run() as Response;
      },
    });
    const request = new Request("http://gateway/v2/things", { method: "POST", headers: { "idempotency-key": key } });
    const handled = remembering(route, { ...by, ...at });
    return handled.handle({ body: {}, query: {}, params: {}, caller: CALLERS[caller], request, now: NOW });
  };
  const refused = (sent: Promise<unknown>): Promise<unknown> =>
    sent.then(
      () => "not refused",
      (thrown: unknown) => (thrown instanceof GatewayError ? `${thrown.status} ${thrown.message}` : thrown),
    );

  test(verifies("W.idempotency-kept", "what was done is answered, also where it cannot be remembered, and is not done again"), async () => {
    const cannotSet: KeyValue = { ...bound(by.kv), set: away };
    const cannotCount = { ...bound(by.counters), reserve: failingAfter(1, by.counters.reserve.bind(by.counters)) };
    expect(await send("no-kv", () => ({ made: 1 }), "admin", { kv: cannotSet })).toEqual({ made: 1 });
    expect(await send("no-counters", () => ({ made: 2 }), "admin", { counters: cannotCount })).toEqual({ made: 2 });
    expect(logged).toEqual(["idempotency.not_kept", "idempotency.not_kept"]);
    for (const key of ["no-kv", "no-counters"]) expect(await refused(send(key, () => ({ made: 3 })))).toStartWith("409 ");
    expect(ran).toBe(2);
  });
  test(verifies("W.idempotency-kept", "why a request was refused is told, also where that cannot be forgotten"), async () => {
    const refusing = (): never => {
      throw REFUSED;
    };
    const kv: KeyValue = { ...bound(by.kv), delete: async () => away() };
    expect(await refused(send("stays", refusing, "admin", { kv }))).toBe("400 No.");
  });
  test(verifies("W.idempotency-kept", "what was not begun, as nothing could be counted, may be sent again at once"), async () => {
    const counters = { ...bound(by.counters), reserve: away };
    expect(await refused(send("again", () => ({ made: 1 }), "admin", { counters }))).toStartWith("503 ");
    expect(await send("again", () => ({ made: 1 }))).toEqual({ made: 1 });
  });
  test(verifies("W.idempotency-share", "a refused request uses up nothing; one API key does not use up what all have"), async () => {
    const refusing = (): never => {
      throw REFUSED;
    };
    for (let i = 0; i < 1_001; i += 1) expect(await refused(send(`refused ${i}`.replace(" ", "-"), refusing, "workspace"))).toBe("400 No.");
    for (let i = 0; i < 1_000; i += 1) await send(`done-${i}`, () => ({}), "workspace");
    expect(await refused(send("one-more", () => ({}), "workspace"))).toStartWith("429 1000 requests of this API key came with");
    expect(await send("another", () => ({ made: 1 }))).toEqual({ made: 1 });
  });
  test(verifies("W.idempotency-kept", "why an answer was not kept is told as it was"), async () => {
    const big = "x".repeat(200 * 1024);
    const told = async (key: string, run: () => unknown): Promise<unknown> => {
      await send(key, run, "second");
      return refused(send(key, run, "second"));
    };
    expect(await told("text", () => new Response("bytes"))).toContain("its answer is of a kind that is not kept");
    expect(await told("large", () => ({ big, more: big }))).toContain("its answer was too large to be kept");
    for (let i = 0; i < 350; i += 1) await send(`filling-${i}`, () => ({ big }), "admin");
    expect(await told("full", () => ({ big }))).toContain("had used up the day's room");
  });
});

/** Members of its class, as members of its own. */
function bound<T extends object>(given: T): T {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(given) as object).concat(Object.keys(given));
  const members = names.map((name) => [name, (given as Record<string, unknown>)[name]] as const);
  return Object.fromEntries(members.map(([name, is]) => [name, typeof is === "function" ? is.bind(given) : is])) as T; // the same members
}
function failingAfter<A extends readonly unknown[], R>(calls: number, work: (...given: A) => R): (...given: A) => R {
  let left = calls;
  return (...given) => (left-- > 0 ? work(...given) : away());
}
