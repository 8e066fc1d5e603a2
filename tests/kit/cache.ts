import { describe, expect, test } from "bun:test";
import type { CachedReply, CacheQuery, Json } from "#contract";
import { expectDescribed } from "./config.ts";
import { leafOf, planOf } from "./outcome.ts";
import { frozen, forAll, type PluginCase } from "./set-up.ts";
import { callOf } from "./call.ts";

const REPLY: CachedReply = frozen({
  status: 200,
  headers: [["content-type", "application/json"]],
  body: JSON.stringify({ text: "Grüße 😀", odd: "\u0000" }),
});
const TTL_SEC = 60;

/** Conformance of a cache: an answer comes back whole, to the same question of the same scope, while it is fresh. */
export function testCache(given: PluginCase<"cache">): void {
  const { manifest } = given;
  describe(`cache ${manifest.id}`, () => {
    const at = forAll(given);

    test("provides the modes that its manifest lists", () => {
      expect([...at().provides.modes].sort()).toEqual([...(manifest.provides ?? [])].sort());
    });
    test("describes the members of configs that it obeys", () => expectDescribed(at().provides.settings?.properties));
    for (const mode of manifest.provides ?? []) {
      test(`${mode}: a question nobody asked has no answer`, async () => expect(await at().provides.get(query(mode))).toBeUndefined());
      test(`${mode}: an answer comes back as it was`, async () => {
        const asked = query(mode);
        await at().provides.set(asked, REPLY, TTL_SEC);
        expect(await at().provides.get(asked)).toEqual(REPLY);
      });
      test(`${mode}: another scope never sees it`, async () => {
        const asked = query(mode);
        await at().provides.set(asked, REPLY, TTL_SEC);
        for (const scope of [`${asked.scope}x`, "", asked.scope.slice(0, -1)])
          expect(await at().provides.get({ ...asked, scope })).toBeUndefined();
      });
      test(`${mode}: another question has another answer`, async () => {
        const asked = query(mode);
        await at().provides.set(asked, REPLY, TTL_SEC);
        expect(
          await at().provides.get(
            query(mode, { model: "m", messages: [{ role: "user", content: `${crypto.randomUUID()} 42` }] }, asked.scope),
          ),
        ).toBeUndefined();
      });
      test(`${mode}: an answer that is too old is none`, async () => {
        const asked = query(mode);
        await at().provides.set(asked, REPLY, TTL_SEC);
        at().clock.now += TTL_SEC * 1000 + 1;
        expect(await at().provides.get(asked)).toBeUndefined();
      });
      test(`${mode}: the later answer wins`, async () => {
        const asked = query(mode);
        await at().provides.set(asked, REPLY, TTL_SEC);
        await at().provides.set(asked, { ...REPLY, body: "{}" }, TTL_SEC);
        expect((await at().provides.get(asked))?.body).toBe("{}");
      });
    }
  });
}

const question = (): Json => ({ model: "m", messages: [{ role: "user", content: crypto.randomUUID() }] });
function query(mode: string, body: Json = question(), scope = `scope-${crypto.randomUUID()}`): CacheQuery {
  const leaf = leafOf({ cache: { mode, maxAgeSec: null } });
  return { scope, call: callOf(body), plan: planOf(leaf), leaf };
}
