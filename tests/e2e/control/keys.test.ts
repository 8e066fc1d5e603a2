/** Keys with a second secret: rotated by request, and what is read of that. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, ISO, itemsOf, type Json, UUID } from "../endpoints/api.ts";
import { chatStatus, type ControlPlane, errorOf, onBoth, refused } from "./api.ts";

const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;
interface Made {
  readonly id: string;
  readonly key: string;
}
const newKey = async (plane: ControlPlane, body: Json = {}): Promise<Made> => {
  const made = await plane.admin("POST", "/v2/api-keys/service", {
    ...{ name: "turning", workspace_id: "default", scopes: ["completions.write"] },
    ...body,
  });
  return { id: String(bodyOf(made)["id"]), key: String(bodyOf(made)["key"]) };
};

onBoth("rotation of keys", (plane) => {
  const rotate = (id: string, body?: Json, base = "/v2") => plane.admin("POST", `${base}/api-keys/${id}/rotate`, body);
  const detailsOf = async (id: string): Promise<Json> => bodyOf(await plane.admin("GET", `/v2/api-keys/${id}`));

  test(verifies("K.rotate", "the answer shows a new secret, once; both are the key, which stays what it is otherwise"), async () => {
    const { id, key } = await newKey(plane, { rate_limits: [{ value: 1_000 }] });
    const before = await detailsOf(id);
    expect(before).toMatchObject({ rotated_at: null, key_transition_expires_at: null, rotation_policy: null });
    const asked = Date.now();
    const answer = bodyOf(await rotate(id));
    expect(answer).toEqual({ id: id, key: expect.stringMatching(/^[A-Za-z0-9]{48}$/), key_transition_expires_at: ISO });
    expect(Date.parse(String(answer["key_transition_expires_at"])) - asked).toBeWithin(HALF_HOUR_MS, HALF_HOUR_MS + 60_000);
    expect([await chatStatus(plane, key), await chatStatus(plane, String(answer["key"]))]).toEqual([200, 200]);
    const after = await detailsOf(id);
    expect(after).toMatchObject({ id, rotated_at: ISO, key_transition_expires_at: answer["key_transition_expires_at"] });
    const { key: _, last_updated_at, rotated_at, key_transition_expires_at, secret_kept_until, ...same } = before;
    expect(after).toMatchObject(same);
    expect(JSON.stringify([after, itemsOf(await plane.admin("GET", `/v2/api-keys?ids=${id}`))])).not.toContain(String(answer["key"]));
  });
  test(verifies("K.rotate-judged", "a second rotation waits for the first; a transition has its bounds"), async () => {
    const { id, key } = await newKey(plane, { rotation_policy: { rotation_period_days: 1 } });
    for (const key_transition_period_ms of [HALF_HOUR_MS - 1, DAY_MS])
      expect(errorOf(await rotate(id, { key_transition_period_ms }))).toEqual(refused(400, "AB01", "key_transition_period_ms"));
    expect(errorOf(await rotate(id, { other: 1 }))).toMatchObject({ status: 400 });
    const next = String(bodyOf(await rotate(id, { key_transition_period_ms: 2 * HALF_HOUR_MS }, "/v1"))["key"]);
    expect(errorOf(await rotate(id))).toEqual(refused(409, "AB07"));
    expect([await chatStatus(plane, key), await chatStatus(plane, next)]).toEqual([200, 200]);
  });
  test(verifies("K.rotate-scope", "a rotation needs the scope of that kind of key, and a key that is no narrower"), async () => {
    const [wide, narrow] = [await newKey(plane), await newKey(plane, { rate_limits: [{ value: 5 }] })];
    const rotating = (scopes: readonly string[], body: Json = {}) => plane.key("default", scopes, body);
    const other = await rotating(["workspace_user_api_keys.rotate", "completions.write"]);
    const own = await rotating(["workspace_service_api_keys.rotate", "completions.write"], { rate_limits: [{ value: 5 }] });
    const path = ({ id }: Made) => `/v2/api-keys/${id}/rotate`;
    expect(errorOf(await plane.as(other, "POST", path(wide)))).toEqual(refused(403, "AB03"));
    expect(errorOf(await plane.as(own, "POST", path(wide)))).toEqual(refused(403, "AB03", "rate_limits"));
    expect(errorOf(await plane.as(own, "GET", `/v2/api-keys/${wide.id}/secret`))).toEqual(refused(403, "AB03", "rate_limits"));
    expect((await plane.as(own, "POST", path(narrow))).status).toBe(200);
    expect((await plane.as(narrow.key, "POST", path(wide))).status).toBe(403);
  });
  test(
    verifies("K.rotate-leaked", "the former secret neither reads the new one nor rotates the key again, though the key may"),
    async () => {
      const { id, key } = await newKey(plane, { scopes: ["workspace_service_api_keys.rotate", "completions.write"] });
      const next = String(bodyOf(await rotate(id))["key"]);
      expect(await chatStatus(plane, key)).toBe(200);
      for (const [method, path] of [
        ["GET", "secret"],
        ["POST", "rotate"],
      ] as const)
        expect(errorOf(await plane.as(key, method, `/v2/api-keys/${id}/${path}`))).toEqual(refused(403, "AB03"));
      expect(bodyOf(await plane.as(next, "GET", `/v2/api-keys/${id}/secret`))).toMatchObject({ key: next });
    },
  );
  test(verifies("K.rotate-at-once", "of ten rotations at once one is done, and its secret works"), async () => {
    const { id, key } = await newKey(plane);
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(id)));
    const done = answers.filter(({ status }) => status === 200);
    expect([done.length, answers.filter(({ status }) => status === 409).length]).toEqual([1, 9]);
    expect(await chatStatus(plane, String(done[0]?.json["key"]))).toBe(200);
    expect(await chatStatus(plane, key)).toBe(200);
  });
  test(verifies("K.secret-kept", "until the transition is over, who may rotate the key can read its secret again"), async () => {
    const { id } = await newKey(plane);
    const secret = `/v2/api-keys/${id}/secret`;
    expect((await plane.admin("GET", secret)).status).toBe(404);
    const { key, key_transition_expires_at: until } = bodyOf(await rotate(id));
    expect(bodyOf(await plane.admin("GET", secret))).toEqual({ id, key, secret_kept_until: until });
    expect((await plane.as(String(key), "GET", secret)).status).toBe(403);
    expect((await plane.as(plane.gateway.gatewayKey, "GET", secret)).status).toBe(403);
  });
  test(verifies("K.schedule", "a policy says the next rotation, and a rotation by hand moves it"), async () => {
    const policies: readonly (readonly [Json, RegExp | null])[] = [
      [{ rotation_period: "weekly" }, /T00:00:00.000Z$/],
      [{ rotation_period: "monthly" }, /-01T00:00:00.000Z$/],
      [{ rotation_period_days: 30, key_transition_period_ms: DAY_MS }, /T00:00:00.000Z$/],
    ];
    for (const [rotation_policy, next] of policies) {
      const { id } = await newKey(plane, { rotation_policy });
      expect((await detailsOf(id))["rotation_policy"]).toEqual({ ...rotation_policy, next_rotation_at: expect.stringMatching(next ?? "") });
      const own = new Date(Date.now() + 3 * DAY_MS).toISOString();
      expect(
        (await plane.admin("PUT", `/v2/api-keys/${id}`, { rotation_policy: { ...rotation_policy, next_rotation_at: own } })).status,
      ).toBe(200);
      expect((await detailsOf(id))["rotation_policy"]).toMatchObject({ next_rotation_at: `${own.slice(0, 10)}T00:00:00.000Z` });
      expect((await rotate(id)).status).toBe(200);
      expect(((await detailsOf(id))["rotation_policy"] as Json)["next_rotation_at"]).not.toBe(`${own.slice(0, 10)}T00:00:00.000Z`);
      await plane.admin("PUT", `/v2/api-keys/${id}`, { rotation_policy: null });
      expect(await detailsOf(id)).toMatchObject({ rotation_policy: null, id: UUID });
    }
  });
  test("a policy that cannot be obeyed is refused with its member", async () => {
    const wrong: readonly (readonly [Json, string])[] = [
      [{ rotation_period: "weekly", rotation_period_days: 3 }, "rotation_policy"],
      [{ key_transition_period_ms: HALF_HOUR_MS }, "rotation_policy"],
      [{ next_rotation_at: new Date(Date.now() - DAY_MS).toISOString() }, "rotation_policy.next_rotation_at"],
      [{ rotation_period: "weekly", key_transition_period_ms: 7 * DAY_MS }, "rotation_policy.key_transition_period_ms"],
      [{ rotation_period_days: 366 }, "rotation_policy.rotation_period_days"],
    ];
    for (const [rotation_policy, param] of wrong) {
      const made = await plane.admin("POST", "/v2/api-keys/service", {
        name: "k",
        scopes: ["completions.write"],
        workspace_id: "default",
        rotation_policy,
      });
      expect(errorOf(made)).toEqual(refused(400, "AB01", param));
    }
  });
  test(verifies("K.preset", "a key whose secret the environment sets is rotated by nothing else"), async () => {
    const first = itemsOf(await plane.admin("GET", "/v2/api-keys?page_size=1000")).find(({ name }) => name === "First gateway key");
    expect(errorOf(await rotate(String(first?.["id"])))).toEqual(refused(409, "AB07"));
    const scheduled = await plane.admin("PUT", `/v2/api-keys/${first?.["id"]}`, { rotation_policy: { rotation_period: "weekly" } });
    expect(errorOf(scheduled)).toEqual(refused(409, "AB07"));
  });
});
