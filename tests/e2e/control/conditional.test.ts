/** ETags, If-None-Match and If-Match: nobody writes over what they have not seen. */
import { beforeAll, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask } from "../process.ts";
import { type ControlPlane, errorOf, onBoth } from "./api.ts";

const asking =
  (plane: ControlPlane) =>
  (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: Json): Promise<Answer> =>
    ask(plane.gateway.base + path, method, ADMIN_KEY, body, headers);
const tagOf = ({ headers }: Answer): string => headers.get("etag") ?? "";
const MISMATCH = { status: 412, code: "AB07", param: null };

onBoth("writes on conditions", (plane) => {
  const send = asking(plane);
  let path = "";
  beforeAll(async () => {
    const made = await send("POST", "/v2/configs", {}, { name: "conditional", config: { retry: { attempts: 1 } } });
    path = `/v2/configs/${String(at(bodyOf(made), "data", "slug"))}`;
  });
  const nameNow = async () => at(bodyOf(await send("GET", path)), "data", "name");
  const named = (name: string, match?: string) => send("PUT", path, match === undefined ? {} : { "if-match": match }, { name });

  test(verifies("W.etag", "reads answer a strong tag, and 304 without a body to who has it"), async () => {
    const read = await send("GET", path);
    expect(tagOf(read)).toMatch(/^"[\w.-]+"$/);
    expect(tagOf(await send("GET", path))).toBe(tagOf(read));
    for (const known of [tagOf(read), `"another", W/${tagOf(read)}`, "*"]) {
      const again = await send("GET", path, { "if-none-match": known });
      expect([again.status, again.text, tagOf(again)]).toEqual([304, "", tagOf(read)]);
    }
    expect((await send("GET", path, { "if-none-match": '"another"' })).status).toBe(200);
  });
  test(verifies("W.etag", "every write makes another tag, however fast they come and whatever they say"), async () => {
    const tags: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      bodyOf(await named("the same"));
      tags.push(tagOf(await send("GET", path)));
    }
    expect(new Set(tags).size).toBe(20);
  });
  test(verifies("W.if-match", "a write that has read the last state is made, one that has not is told so"), async () => {
    const seen = tagOf(await send("GET", path));
    bodyOf(await named("first", seen));
    const late = await named("second", seen);
    expect(errorOf(late)).toEqual(MISMATCH);
    expect(late.text).toContain("is not what If-Match names: it was changed meanwhile. Read it again");
    expect(await nameNow()).toBe("first");
    for (const wrong of [`W/${tagOf(await send("GET", path))}`, "no-quotes", '"another"'])
      expect((await named("x", wrong)).status).toBe(412);
    bodyOf(await named("second", `"another", ${tagOf(await send("GET", path))}`));
    bodyOf(await named("third", "*"));
  });
  test(verifies("W.if-match", "of many at once that have read the same, one is made"), async () => {
    const seen = tagOf(await send("GET", path));
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => named(`racer ${i}`, seen)));
    const winners = answers.flatMap(({ status }, i) => (status === 200 ? [`racer ${i}`] : []));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 412)]);
    expect(winners).toEqual([String(await nameNow())]);
  });
  test(verifies("W.if-match", "a write that is refused leaves the tag as it was"), async () => {
    const seen = tagOf(await send("GET", path));
    expect((await send("PUT", path, { "if-match": seen }, { config: { strategy: { mode: "none such" } } })).status).toBe(400);
    expect(tagOf(await send("GET", path))).toBe(seen);
    bodyOf(await named("still mine", seen));
  });
  test(verifies("W.without", "writes without a condition that come at once are all made"), async () => {
    const workspace = await plane.workspace("Conditional");
    const where = `/v2/admin/workspaces/${workspace.id}`;
    const bodies: readonly Json[] = [{ name: "Conditional 2" }, { description: "said together" }];
    const answers = await Promise.all(bodies.map((body) => send("PUT", where, {}, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(bodyOf(await send("GET", where))).toMatchObject({ name: "Conditional 2", description: "said together" });
  });
  test(verifies("W.if-match", "a delete has conditions too, and then there is nothing to match"), async () => {
    const stale = tagOf(await send("GET", path));
    bodyOf(await named("about to go"));
    expect(errorOf(await send("DELETE", path, { "if-match": stale }))).toEqual(MISMATCH);
    bodyOf(await send("DELETE", path, { "if-match": tagOf(await send("GET", path)) }));
    expect([403, 404]).toContain((await send("DELETE", path, { "if-match": "*" })).status);
  });
  test(verifies("W.if-match", "what is done below a record has conditions too: on the record"), async () => {
    const made = bodyOf(await send("POST", "/admin/v2/integrations", {}, { name: "Conditional", ai_provider_id: "sandbox" }));
    const where = `/admin/v2/integrations/${String(made["slug"])}`;
    const models = (slug: string, match: string) =>
      send("PUT", `${where}/models`, { "if-match": match }, { models: [{ slug, enabled: true, is_custom: true }] });
    const seen = tagOf(await send("GET", where));
    const answers = await Promise.all([models("one", seen), models("two", seen)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(errorOf(await models("three", seen))).toEqual(MISMATCH);
    for (const [method, below, body] of [
      ["PUT", "/models", { models: [] }],
      ["DELETE", "/models?slugs=one,two", undefined],
      ["PUT", "/workspaces", { workspaces: [] }],
    ] as const)
      expect([method, below, errorOf(await send(method, where + below, { "if-match": '"bogus"' }, body))]).toEqual([
        method,
        below,
        MISMATCH,
      ]);
    const now = tagOf(await send("GET", where));
    expect((await send("DELETE", `${where}/models?slugs=nosuch`, { "if-match": now })).status).toBe(404);
    bodyOf(await send("PUT", `${where}/workspaces`, { "if-match": now }, { global_workspace_access: { enabled: true } }));
    expect((await send("GET", `${where}/models`, { "if-match": '"bogus"' })).status).toBe(200);
  });
  test(verifies("W.if-match", "a key is rotated as it was read, or not at all"), async () => {
    const body = { name: "conditional", workspace_id: "default", scopes: ["completions.write"] };
    const where = `/v2/api-keys/${String(bodyOf(await send("POST", "/v2/api-keys/service", {}, body))["id"])}`;
    const seen = tagOf(await send("GET", where));
    expect(errorOf(await send("POST", `${where}/rotate`, { "if-match": '"bogus"' }, {}))).toEqual(MISMATCH);
    expect(tagOf(await send("GET", where))).toBe(seen);
    expect(bodyOf(await send("POST", `${where}/rotate`, { "if-match": seen }, {}))["key"]).toBeString();
    expect(errorOf(await send("POST", `${where}/rotate`, { "if-match": seen }, {}))).toEqual(MISMATCH);
  });
  test(verifies("W.if-match-refused", "where nothing can be compared the header is refused, and nothing is done"), async () => {
    const before = (await send("GET", "/v2/admin/organisation")).text;
    for (const [method, where, body] of [
      ["PUT", "/v2/admin/organisation", { name: "Conditional Ltd" }],
      ["POST", "/v2/configs", { name: "never made", config: {} }],
    ] as const) {
      const refused = await send(method, where, { "if-match": '"bogus"' }, body);
      expect([where, errorOf(refused)]).toEqual([where, { status: 400, code: "AB01", param: "if-match" }]);
      expect(refused.text).toContain("nothing was done. Send the request without it");
    }
    expect((await send("GET", "/v2/admin/organisation")).text).toBe(before);
    expect((await send("GET", "/v2/configs")).text).not.toContain("never made");
    expect((await send("GET", "/v2/admin/organisation", { "if-match": '"bogus"' })).status).toBe(200);
  });
});
