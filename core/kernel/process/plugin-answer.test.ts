import { describe, expect, test } from "bun:test";
import { type Caller, GatewayError, type Policy } from "#contract";
import { manifestOf } from "#kit";
import { identifier } from "../../pipeline/identify.ts";
import { inTime, pluginAnswer } from "./plugin-answer.ts";

const never = <T>(): Promise<T> => new Promise(() => undefined);
const late = () => new GatewayError("PLUGIN_TIMEOUT", { plugin: "policy/slow", seconds: 30 });

describe("work with a limit", () => {
  test("that never ends becomes an error that names the plugin and the limit", async () => {
    const error = await inTime(never(), 5, late).catch((thrown: GatewayError) => thrown);
    expect(error).toMatchObject({ code: "PLUGIN_TIMEOUT", status: 503, message: "The plugin policy/slow did not answer within 30 s." });
  });
  test("that ends in time keeps its value, or its own error", async () => {
    expect(await inTime(Promise.resolve(7), 1_000, late)).toBe(7);
    await expect(inTime(Promise.reject(new Error("mine")), 1_000, late)).rejects.toThrow("mine");
  });
  test("that fails after its limit is heard by nobody", async () => {
    const work = Promise.withResolvers<never>();
    const escaped: unknown[] = [];
    const hear = (thrown: unknown) => void escaped.push(thrown);
    process.on("unhandledRejection", hear);
    await inTime(work.promise, 1, late).catch(() => undefined);
    work.reject(new Error("too late"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off("unhandledRejection", hear);
    expect(escaped).toEqual([]);
  });
  test("that is anything with a then is waited for: a policy's refusal is not lost because its promise is of another kind", async () => {
    const refused: unknown = { then: (_: unknown, reject: (thrown: unknown) => void) => reject(new Error("no")) };
    await expect(Promise.resolve(pluginAnswer(refused, 1_000, "policy/other", 0))).rejects.toThrow("no");
    const answer = pluginAnswer(refused, 1_000, "policy/other", 0);
    expect(answer).toBeInstanceOf(Promise);
    await (answer as Promise<unknown>).catch(() => undefined);
  });
  test("that is done already is given back as it is: no promise, no timer", () => {
    const value = {};
    expect(pluginAnswer(value, 1, () => "x", 0)).toBe(value);
    expect(pluginAnswer(undefined, 1, () => "x", 0)).toBeUndefined();
  });
});

describe("identify", () => {
  const caller = { keyId: "k" } as Caller; // only passed along here
  const policy = (id: string, identify: Policy["identify"]) => ({
    name: `policy/${id}`,
    manifest: manifestOf({ kind: "policy", id }),
    provides: { ...(identify && { identify }) },
  });
  const asked = (...policies: readonly ReturnType<typeof policy>[]) =>
    identifier(policies, () => 0, { own: { remember: () => undefined }, keyHeaders: [] }, 5)(new Headers(), "key");

  test("by a policy that never answers is 503 with its name, also behind one that passed", async () => {
    for (const before of [[], [policy("first", async () => undefined)], [policy("first", () => undefined)]])
      expect(
        await Promise.resolve(
          asked(
            ...before,
            policy("hanging", () => never()),
          ),
        ).catch((thrown: GatewayError) => [thrown.status, thrown.details["plugin"]]),
      ).toEqual([503, "policy/hanging"]);
  });
  test("by a warm policy makes no promise", () => expect(asked(policy("warm", () => caller))).toBe(caller));
});
