/** What the worker does by the clock, and what it leaves to be done when it is stopped in the middle. */
import { beforeEach, describe, expect, test } from "bun:test";
import { ApiKeys, Configs, Guardrails, isoTime, nextRotation, NO_ROTATION, Organisations, type RecordOf } from "#contract";

import { CALLERS, ORGANISATION, type Tenants, tenants, USER, WORKSPACE } from "../../../../tests/kit/tenants.ts";
import { verifies } from "../../../../tests/requirements/verifies.ts";
import { apiKeys } from "../resource.ts";
import { UNADOPTED } from "./adopt.ts";
import { keyWorker } from "./index.ts";
import type { Digest, Tell } from "./notice.ts";

type Key = RecordOf<typeof ApiKeys>;
const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;

describe("the worker of keys", () => {
  let world: Tenants;
  let said: Digest[];
  let atTheCap: Set<string>;
  let run: () => Promise<void>;
  beforeEach(async () => {
    world = await tenants([ApiKeys, Configs, Guardrails]);
    world.clock.now = Date.UTC(2026, 0, 7, 12); // a Wednesday
    said = [];
    const { records, vault } = world.handles;
    atTheCap = new Set();
    const tell: Tell = async (digest) => !atTheCap.has(digest.to) && said.push(digest) > 0;
    const job = keyWorker({ records, vault, log: () => undefined, now: () => world.clock.now, tell }, 60);
    run = () => job.run(new AbortController().signal);
  });
  const put = async (more: Partial<Key> = {}): Promise<Key> => {
    const now = world.clock.now - 10 * DAY_MS;
    const key: Key = {
      ...{ id: crypto.randomUUID(), created_at: now, last_updated_at: now, created_by: USER, name: "k", description: null },
      ...{
        organisation_id: ORGANISATION.ours,
        workspace_id: WORKSPACE.ours,
        user_id: null,
        type: "workspace-service",
        creation_mode: "api",
      },
      ...{
        digest: crypto.randomUUID(),
        masked_key: "",
        status: "active",
        scopes: ["completions.write"],
        rate_limits: [],
        usage_limits: null,
      },
      ...{ defaults: {}, alert_emails: [], expires_at: null, ...NO_ROTATION },
      ...more,
    };
    await world.handles.records.in(ApiKeys).insert(key);
    return key;
  };
  const read = async ({ id }: Key): Promise<Key> => (await world.handles.records.in(ApiKeys).get(id)) ?? expect.unreachable();
  const at = (hours: number): number => world.clock.now + hours * 3_600_000;

  test(
    verifies("E3.rotation-runs", verifies("K.schedule", "a key that is due gets a new secret, another day, and a transition")),
    async () => {
      const key = await put({ rotation_policy: { rotation_period: "weekly", key_transition_period_ms: DAY_MS }, next_rotation_at: at(0) });
      const later = await put({ rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(48) });
      await run();
      const { now } = world.clock;
      const after = await read(key);
      expect(after).toMatchObject({
        ...{ previous_digest: key.digest, key_transition_expires_at: now + DAY_MS, rotated_at: now },
        ...{ next_rotation_at: Date.UTC(2026, 0, 12), secret_kept_until: now + 30 * DAY_MS },
      });
      const shown = await world.ask(apiKeys, "GET", `/api-keys/${key.id}/secret`, CALLERS.workspace);
      expect(world.handles.vault.digest(String(shown.body["key"]))).toBe(after.digest);
      expect(await read(later)).toEqual(later);
      await run();
      expect((await read(key)).digest).toBe(after.digest);
    },
  );
  test("a key that is due while it has two secrets waits until the other one ends; an expired one, and a preset one, stay", async () => {
    const due = { rotation_policy: { rotation_period_days: 1 }, next_rotation_at: at(-1) };
    const busy = await put({ ...due, previous_digest: "before", key_transition_expires_at: at(1), rotated_at: at(-1) });
    const others = [await put({ ...due, expires_at: at(-2) }), await put({ ...due, is_preset: true })];
    await run();
    expect((await read(busy)).digest).toBe(busy.digest);
    for (const key of others) expect((await read(key)).digest).toBe(key.digest);
    world.clock.now = at(1);
    await run();
    expect(await read(busy)).toMatchObject({ previous_digest: busy.digest, rotated_at: world.clock.now });
  });
  test("a transition that is over is written down, and a secret that was kept is forgotten", async () => {
    const key = await put({
      previous_digest: "before",
      key_transition_expires_at: at(1),
      secret_sealed: "sealed",
      secret_kept_until: at(2),
    });
    world.clock.now = at(1);
    await run();
    expect(await read(key)).toMatchObject({ previous_digest: null, key_transition_expires_at: null, secret_sealed: "sealed" });
    world.clock.now = at(1);
    await run();
    expect(await read(key)).toMatchObject({ secret_sealed: null, secret_kept_until: null });
  });
  test(verifies("K.expired", "a key that has ended is marked; one that is prolonged works again"), async () => {
    const [over, exhausted, other] = [
      await put({ expires_at: at(0) }),
      await put({ expires_at: at(-9), status: "exhausted" }),
      await put(),
    ];
    await run();
    expect([(await read(over)).status, (await read(exhausted)).status, (await read(other)).status]).toEqual([
      "expired",
      "expired",
      "active",
    ]);
    const longer = { expires_at: isoTime(at(24)) };
    expect((await world.ask(apiKeys, "PUT", `/api-keys/${over.id}`, CALLERS.admin, longer)).status).toBe(200);
    expect(await read(over)).toMatchObject({ status: "active", expires_at: at(24) });
    await run();
    expect((await read(over)).status).toBe("active");
  });
  test(verifies("K.schedule-warned", "what is coming is told a day before, once; a rotation is told of, once"), async () => {
    const soon = await put({ rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(12) });
    const ending = await put({ previous_digest: "before", key_transition_expires_at: at(12), rotated_at: at(-48) });
    const alert_emails = ["OPS@keys.example"];
    const due = await put({ rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(0), alert_emails });
    for (let again = 0; again < 3; again += 1) await run();
    const ada = said.filter(({ to }) => to === "ada@ours.example");
    expect(ada.map(({ kind, keyIds }) => `${kind} ${keyIds.join()}`).sort()).toEqual(
      [`key_rotation_soon ${soon.id}`, `key_transition_soon ${ending.id}`, `key_rotated ${due.id}`].sort(),
    );
    expect(said.filter(({ to }) => to === "ops@keys.example").map(({ keyIds }) => keyIds)).toEqual([[due.id]]);
    expect(said).toHaveLength(4);
    const { lines } = ada.find(({ kind }) => kind === "key_rotated") ?? expect.unreachable();
    const { body } = await world.ask(apiKeys, "GET", `/api-keys/${due.id}/secret`, CALLERS.workspace);
    expect(lines.join()).not.toContain(String(body["key"]));
    expect(lines.join()).toContain(`/v2/api-keys/${due.id}/secret`);
  });
  test(verifies("K.enforced", "a period that comes to be enforced is that of user keys that nobody rotates"), async () => {
    const user = { type: "workspace-user", user_id: USER } as const;
    const [key, service] = [await put(user), await put()];
    const own = await put({ ...user, rotation_policy: { rotation_period: "monthly" }, next_rotation_at: at(0) });
    await world.handles.records.in(Organisations).update(ORGANISATION.ours, { settings: { user_api_key_rotation_period: 5 } });
    await run();
    const policy = { rotation_period_days: 5 };
    expect(await read(key)).toMatchObject({
      rotation_policy: policy,
      next_rotation_at: nextRotation(policy, world.clock.now),
      digest: key.digest,
    });
    expect(await read(service)).toEqual(service);
    expect(await read(own)).toMatchObject({ rotation_policy: policy, previous_digest: own.digest });
  });
  test(
    verifies("K.schedule-once", "a run that is stopped in the middle leaves the rest to the next, and rotates nothing twice"),
    async () => {
      const due = { rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(0) };
      const keys = await Promise.all(Array.from({ length: 250 }, () => put(due)));
      const { records, vault } = world.handles;
      const stopping = new AbortController();
      let rotations = 0;
      const seal = (plain: string): string => {
        if (++rotations === 120) stopping.abort();
        return vault.seal(plain);
      };
      const halted = keyWorker(
        { records, vault: { ...vault, seal }, log: () => undefined, now: () => world.clock.now, tell: async () => true },
        60,
      );
      await expect(halted.run(stopping.signal)).rejects.toThrow();
      expect(rotations).toBe(120);
      const done = (await Promise.all(keys.map(read))).filter(({ rotated_at }) => rotated_at !== null);
      expect(done).toHaveLength(120);
      await run();
      for (const key of keys) expect((await read(key)).previous_digest).toBe(key.digest);
    },
  );
  test("a policy that an earlier build kept is obeyed: on the day that it says, and at once where that is over", async () => {
    const policies = [
      { next_rotation_at: isoTime(at(48)), rotation_period: "weekly" },
      { next_rotation_at: isoTime(at(-48)) },
      { rotation_period: "weekly" },
    ];
    const keys = await Promise.all(policies.map((rotation_policy) => put({ rotation_policy, next_rotation_at: UNADOPTED })));
    await run();
    const [ahead, over, unsaid] = await Promise.all(keys.map(read));
    expect(ahead).toMatchObject({ rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(48), rotated_at: null });
    expect(over).toMatchObject({ rotation_policy: {}, next_rotation_at: null, rotated_at: world.clock.now });
    expect(unsaid).toMatchObject({ next_rotation_at: Date.UTC(2026, 0, 12), rotated_at: null });
  });
  test("half an hour is what a transition lasts unless something else is said", async () => {
    const key = await put({ rotation_policy: {}, next_rotation_at: at(0) });
    await run();
    expect(await read(key)).toMatchObject({ key_transition_expires_at: at(0) + HALF_HOUR_MS, next_rotation_at: null, rotation_policy: {} });
  });
  const enforceDays = (days: number | undefined) =>
    world.handles.records.in(Organisations).update(ORGANISATION.ours, { settings: days ? { user_api_key_rotation_period: days } : {} });
  test(
    verifies("K.schedule-fits", "a transition that is too long for a period that comes to be enforced is shortened, and stays so"),
    async () => {
      const rotation_policy = { rotation_period: "monthly", key_transition_period_ms: 10 * DAY_MS };
      const key = await put({ type: "workspace-user", user_id: USER, rotation_policy, next_rotation_at: at(0) });
      await enforceDays(7);
      await run();
      expect(await read(key)).toMatchObject({
        rotation_policy: { rotation_period_days: 7, key_transition_period_ms: 6 * DAY_MS },
        key_transition_expires_at: world.clock.now + 6 * DAY_MS,
      });
      await enforceDays(undefined);
      const { next_rotation_at } = await read(key);
      world.clock.now = next_rotation_at ?? expect.unreachable();
      await run();
      expect((await read(key)).rotated_at).toBe(world.clock.now);
    },
  );
  test(verifies("K.schedule-fits", "policies that nobody judged hold up no other key, whether adopted or stored before"), async () => {
    const policy = { rotation_period_days: 7, key_transition_period_ms: 10 * DAY_MS };
    const stored = await put({ rotation_policy: policy, next_rotation_at: at(-1) });
    const adopted = await put({ next_rotation_at: UNADOPTED, rotation_policy: { ...policy, next_rotation_at: isoTime(at(-1)) } });
    const broken = await put({ rotation_policy: { rotation_period: "weekly", next_rotation_at: "some day" } });
    const other = await put({ rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(0) });
    await run();
    for (const { id } of [stored, adopted, other]) expect((await read({ id } as Key)).rotated_at).toBe(world.clock.now);
    expect((await read(broken)).rotated_at).toBeNull();
  });
  test(verifies("K.schedule-fits", "a key that cannot be rotated is skipped and said, and the others are rotated"), async () => {
    const due = { rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(-1) };
    const keys = [await put(due), await put(due), await put(due)];
    const { records, vault } = world.handles;
    let seals = 0;
    const seal = (plain: string): string => {
      if ((seals += 1) === 1) throw new Error("this one is broken");
      return vault.seal(plain);
    };
    const logged: string[] = [];
    const log = (_: string, event: string) => void logged.push(event);
    const job = keyWorker({ records, vault: { ...vault, seal }, log, now: () => world.clock.now, tell: async () => true }, 60);
    await job.run(new AbortController().signal);
    expect((await Promise.all(keys.map(read))).filter(({ rotated_at }) => rotated_at !== null)).toHaveLength(2);
    expect(logged).toContain("api-key.skipped");
  });
  test(
    verifies("K.schedule-digest", "of many keys a person gets one mail; one who has had too many hears later, the others at once"),
    async () => {
      const due = { rotation_policy: { rotation_period: "weekly" }, next_rotation_at: at(0), alert_emails: ["ops@keys.example"] };
      const keys = await Promise.all(Array.from({ length: 60 }, () => put(due)));
      atTheCap.add("ada@ours.example");
      await run();
      expect(said.map(({ to, subject }) => [to, subject])).toEqual([["ops@keys.example", "The secret of 60 API keys was replaced"]]);
      expect([...(said[0]?.keyIds ?? [])].sort()).toEqual(keys.map(({ id }) => id).sort());
      expect(said[0]?.lines).toHaveLength(51);
      world.clock.now = at(2); // the transition is over
      await run();
      await run();
      expect(said).toHaveLength(1);
      atTheCap.clear();
      await run();
      await run();
      expect(said.map(({ to, keyIds }) => [to, keyIds.length])).toEqual([
        ["ops@keys.example", 60],
        ["ada@ours.example", 60],
      ]);
      expect(said[1]?.lines[0]).toContain("works no more");
    },
  );
});
