import { expect, test } from "bun:test";
import { loadedOnce } from "./loaded-once.ts";

/** What it loads is what comes of each attempt, in turn. */
function loading(...results: readonly (string | Error)[]) {
  const clock = { now: 1_000 };
  let attempts = 0;
  const load = async (): Promise<string> => {
    const result = results[attempts++];
    if (typeof result === "string") return result;
    throw result;
  };
  return { get: loadedOnce(load, () => clock.now), clock, attempts: () => attempts };
}

test("what is loaded is loaded once, also for those who ask meanwhile, and then it is there without a promise", async () => {
  const { get, attempts } = loading("prices");
  expect(await Promise.all([get(), get()])).toEqual(["prices", "prices"]);
  expect(get()).toBe("prices");
  expect(attempts()).toBe(1);
});
test("what could not be loaded is tried again, but not for a few seconds", async () => {
  const { get, clock, attempts } = loading(new Error("too many open files"), new Error("still"), "prices");
  expect(await Promise.allSettled([get(), get()])).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  clock.now += 4_999;
  expect(get()).toBeUndefined();
  expect(attempts()).toBe(1);
  clock.now += 1;
  await expect(Promise.resolve(get())).rejects.toThrow("still");
  expect(get()).toBeUndefined();
  clock.now += 5_000;
  expect(await get()).toBe("prices");
  expect(get()).toBe("prices");
  expect(attempts()).toBe(3);
});
