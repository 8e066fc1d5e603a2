import { describe, expect, test } from "bun:test";
import type { ManagedSecret } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { KeptSecrets, type WantedSecret } from "./kept-secrets.ts";

const MINUTE = 60_000;
const WANTED: WantedSecret = { id: "1", reference: "openai-key", manager: "acme", organisationId: "org", auth: {}, path: "a", key: null };

/** A manager whose answers are what the test says, and a clock that moves when told to. */
function world() {
  const state = { now: 0, reads: 0, answer: async (): Promise<ManagedSecret | { missing: string }> => ({ value: "first-secret" }) };
  const lines: unknown[] = [];
  const hidden: string[] = [];
  const read = () => {
    state.reads += 1;
    return state.answer();
  };
  const kept = new KeptSecrets({
    managers: new Map([["acme", { manager: "acme", auth: [], read }]]),
    log: { log: (...line) => void lines.push(line), hide: (secret) => void hidden.push(secret) },
    now: () => state.now,
  });
  const away = async (): Promise<never> => {
    throw new Error("connection refused");
  };
  return { state, kept, lines, hidden, away };
}

describe("a secret out of a manager", () => {
  test(verifies("A.references.kept", "is read once for all who wait for it, kept, and given at once from then on"), async () => {
    const { state, kept, hidden } = world();
    expect(await Promise.all([kept.read(WANTED), kept.read(WANTED), kept.read(WANTED)])).toEqual([
      "first-secret",
      "first-secret",
      "first-secret",
    ]);
    expect(kept.read(WANTED)).toBe("first-secret");
    expect(state.reads).toBe(1);
    expect(hidden).toEqual(["first-secret"]);
  });
  test("is hidden from the log part by part, where it is JSON", async () => {
    const { state, kept, hidden } = world();
    const value = JSON.stringify({
      Authorization: "Bearer abcdefgh-123",
      url: "https://acme.example/1",
      name: "x",
      deep: ["t0ken-0123456789"],
    });
    state.answer = async () => ({ value });
    await kept.read(WANTED);
    expect(hidden).toEqual([value, "Bearer abcdefgh-123", "t0ken-0123456789"]);
  });
  test("is read once for a hundred that wait for it, and an outage is asked about once for all of them", async () => {
    const { state, kept, away } = world();
    const hundred = () => Promise.all(Array.from({ length: 100 }, async () => kept.read(WANTED)));
    expect(new Set(await hundred())).toEqual(new Set(["first-secret"]));
    expect(state.reads).toBe(1);
    state.answer = away;
    state.now = 5 * MINUTE;
    expect(new Set(await hundred())).toEqual(new Set(["first-secret"]));
    expect(state.reads).toBe(2);
  });
  test("is read again before its five minutes are over, behind the requests", async () => {
    const { state, kept } = world();
    await kept.read(WANTED);
    state.answer = async () => ({ value: "second-secret" });
    state.now = 3 * MINUTE;
    expect(kept.read(WANTED)).toBe("first-secret");
    expect(state.reads).toBe(1);
    state.now = 4 * MINUTE;
    expect(kept.read(WANTED)).toBe("first-secret");
    await Bun.sleep(0);
    expect(kept.read(WANTED)).toBe("second-secret");
    expect(state.reads).toBe(2);
  });
  test("that nobody asked for in five minutes is waited for", async () => {
    const { state, kept } = world();
    await kept.read(WANTED);
    state.answer = async () => ({ value: "second-secret" });
    state.now = 5 * MINUTE;
    expect(await kept.read(WANTED)).toBe("second-secret");
  });
  test("whose manager says when it ends is kept no longer", async () => {
    const { state, kept } = world();
    state.answer = async () => ({ value: "short-lived", expiresAt: 1_000 });
    await kept.read(WANTED);
    state.now = 1_000;
    expect(kept.read(WANTED)).toBeInstanceOf(Promise);
    expect(state.reads).toBe(2);
  });
  test(
    verifies("A.references.away", "goes on being served when its manager is away, which the log and the health say, without the value"),
    async () => {
      const { state, kept, lines, away } = world();
      await kept.read(WANTED);
      state.answer = away;
      state.now = 5 * MINUTE;
      expect(await kept.read(WANTED)).toBe("first-secret");
      expect(kept.read(WANTED)).toBe("first-secret");
      expect(state.reads).toBe(2);
      expect(lines).toMatchObject([["warn", "secret.manager_away", { reference: "openai-key", serves: "what is kept" }]]);
      expect(kept.health()).toEqual({ degraded: [expect.stringContaining("openai-key (acme)")], detail: { kept: 1, away: 1 } });
      expect(JSON.stringify([lines, kept.health()])).not.toContain("first-secret");
      state.answer = async () => ({ value: "second-secret" });
      state.now += 10_000;
      expect(await kept.read(WANTED)).toBe("second-secret");
      expect(kept.health()).toEqual({ degraded: [], detail: { kept: 1, away: 0 } });
    },
  );
  test("of which nothing is kept cannot be had while its manager is away", async () => {
    const { state, kept, away } = world();
    state.answer = away;
    const error = { code: "SECRET_UNAVAILABLE", status: 503, message: expect.stringContaining("openai-key") };
    await expect(kept.read(WANTED)).rejects.toMatchObject(error);
  });
  test(
    verifies("A.references.away", "of which nothing is kept shows in the health, until it is read or ten minutes have passed"),
    async () => {
      const { state, kept, away } = world();
      const isWell = { degraded: [], detail: { kept: 0, away: 0 } };
      const first = state.answer;
      state.answer = away;
      await Promise.resolve(kept.read(WANTED)).catch(() => undefined);
      expect(kept.health()).toEqual({
        degraded: [expect.stringContaining("nothing is kept: openai-key (acme).")],
        detail: { kept: 0, away: 1 },
      });
      state.now = 10 * MINUTE;
      expect(kept.health()).toEqual(isWell);
      await Promise.resolve(kept.read(WANTED)).catch(() => undefined);
      expect(kept.health().detail).toEqual({ kept: 0, away: 1 });
      state.answer = first;
      await kept.read(WANTED);
      expect(kept.health()).toEqual({ degraded: [], detail: { kept: 1, away: 0 } });
    },
  );
  test.each<[string, ManagedSecret | { missing: string }]>([
    ["its manager no longer gives", { missing: "Acme keeps nothing there" }],
    ["is empty", { value: " " }],
    ["is too long to be one", { value: "x".repeat(65_537) }],
  ])(verifies("A.references.gone", "that %s is not served from what is kept"), async (_, answer) => {
    const { state, kept } = world();
    await kept.read(WANTED);
    state.answer = async () => answer;
    state.now = 5 * MINUTE;
    await expect(kept.read(WANTED)).rejects.toMatchObject({ code: "SECRET_ABSENT", status: 500 });
    await expect(kept.read(WANTED)).rejects.toMatchObject({ code: "SECRET_ABSENT" });
  });
  test("whose manager does not run cannot be had", async () => {
    await expect(world().kept.read({ ...WANTED, manager: "absent" })).rejects.toMatchObject({ code: "SECRET_ABSENT" });
  });
});
