/** Guardrails of the whole organisation, and guardrails that rest. */
import { afterEach, describe, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { bodyOf, expectError, forAll, itemsOf, type Json, newKey, SANDBOX } from "./endpoints/api.ts";

const api = forAll();
const DEFAULTS = "/v1/admin/organisation/defaults";
const actions: Json = {
  ...{ deny: true, async: false, on_success: { feedback: { value: 5, weight: 1, metadata: "" } } },
  on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
};
const without = (word: string): Json => ({ id: "default.contains", parameters: { words: [word], operator: "none" } });
const made = async (path: string, word: string): Promise<string> =>
  String(bodyOf(await api.admin("POST", path, { name: `No ${word}`, checks: [without(word)], actions }))["slug"]);
const ofOrganisation = (word: string): Promise<string> => made("/admin/v2/guardrails", word);
const ofWorkspace = (word: string): Promise<string> => made("/v2/guardrails?workspace_id=default", word);
const setDefaults = async (body: Json): Promise<void> => void bodyOf(await api.admin("PUT", DEFAULTS, body));
const chat = (content: string, config?: Json) =>
  api.data(
    "POST",
    "/v1/chat/completions",
    { ...SANDBOX, ...(config && { "x-gateway-config": JSON.stringify({ provider: "sandbox", ...config }) }) },
    { model: "echo", messages: [{ role: "user", content }] },
  );
const statusOf = async (content: string, config?: Json): Promise<number> => (await chat(content, config)).status;

afterEach(() => setDefaults({ input_guardrails: [], output_guardrails: [] }));

describe("default guardrails of the organisation", () => {
  test(
    verifies("2.6.org-defaults", verifies("G.defaults.obeyed", "judge requests and answers at once, whatever the config says")),
    async () => {
      const [onInput, onOutput] = [await ofOrganisation("apple"), await ofOrganisation("pear")];
      expect([await statusOf("apple"), await statusOf("pear")]).toEqual([200, 200]);
      await setDefaults({ input_guardrails: [onInput], output_guardrails: [onOutput] });
      for (const config of [undefined, { input_guardrails: [], output_guardrails: [] }, { input_guardrails: [onInput] }]) {
        const denied = await chat("apple", config);
        expect({ config, status: denied.status }).toEqual({ config, status: 446 });
        const hooks = denied.json["hook_results"] as unknown as {
          before_request_hooks: readonly Json[];
          after_request_hooks: readonly Json[];
        };
        expect(hooks.before_request_hooks.map(({ id }) => id)).toEqual([onInput]);
        const answer = await chat("pear", config);
        expect({ config, status: answer.status }).toEqual({ config, status: 446 });
      }
      expect(await statusOf("plum")).toBe(200);
    },
  );
  test(verifies("G.defaults.last-word", "have the last word on what a config's own guardrails change"), async () => {
    const words = await ofOrganisation("apple");
    const personal = String(
      bodyOf(
        await api.admin("POST", "/admin/v2/guardrails", {
          ...{ name: "Hides addresses", actions },
          checks: [{ id: "gateway.pii", parameters: { categories: ["EMAIL_ADDRESS"], redact: true } }],
        }),
      )["slug"],
    );
    await setDefaults({ input_guardrails: [words, personal], output_guardrails: [personal] });
    const prefix: Json = { "default.addPrefix": { prefix: "apple " } };
    const joins: Json = { "default.regexReplace": { rule: "XX", redactText: "" } };
    for (const own of [
      { input_guardrails: [prefix] },
      { input_mutators: [prefix] },
      { input_guardrails: [{ ...prefix, sequential: true }] },
    ])
      expect({ own, status: await statusOf("a pear", own) }).toEqual({ own, status: 446 });
    for (const own of [{ input_guardrails: [joins] }, { input_mutators: [joins] }]) {
      expect({ own, status: await statusOf("apXXple", own) }).toEqual({ own, status: 446 });
      const told = await chat("write to jXXo@exXXample.com", own);
      expect({ own, status: told.status, text: told.text }).toMatchObject({
        own,
        status: 200,
        text: expect.not.stringContaining("jo@example"),
      });
    }
    const dot: Json = { "default.addPrefix": { prefix: "." } };
    expect((await chat("mail a@example.com", { input_guardrails: [dot] })).text).not.toContain("a@example.com");
    const noOp: Json = { "default.regexReplace": { rule: "write", redactText: "write" } };
    expect((await chat("mail a@example.com", { output_guardrails: [noOp] })).text).not.toContain("a@example.com");
  });
  test(verifies("G.defaults.last-word", "that deny see what the last word of others has changed"), async () => {
    const words = await ofOrganisation("quince");
    const checks = [{ id: "default.regexReplace", parameters: { rule: "XX", redactText: "" } }];
    const joins = bodyOf(await api.admin("POST", "/admin/v2/guardrails", { name: "Leaves XX out", actions, checks }))["slug"];
    await setDefaults({ input_guardrails: [words, String(joins)] });
    const own: Json = { input_mutators: [{ "default.regexReplace": { rule: "YY", redactText: "X" } }] };
    expect([await statusOf("a pear", own), await statusOf("quXYYince", own)]).toEqual([200, 446]);
  });
  test("are not hidden from by an empty message behind the one that counts", async () => {
    await setDefaults({ input_guardrails: [await ofOrganisation("melon")] });
    for (const empty of [
      { role: "assistant", content: "" },
      { role: "user", content: " " },
    ]) {
      const messages = [{ role: "user", content: "a melon" }, empty];
      expect((await api.data("POST", "/v1/chat/completions", SANDBOX, { model: "echo", messages })).status).toBe(446);
    }
  });
  test(verifies("4.org-defaults", verifies("G.defaults.routes", "are shown by id and slug, and taken by either")), async () => {
    const slug = await ofOrganisation("fig");
    const { id } = bodyOf(await api.admin("GET", `/admin/v2/guardrails/${slug}`));
    await setDefaults({ input_guardrails: [String(id)] });
    expect(bodyOf(await api.admin("GET", DEFAULTS))).toEqual({ input_guardrails: [{ id, slug }], output_guardrails: [] });
    await setDefaults({ output_guardrails: [slug] });
    expect(bodyOf(await api.admin("GET", DEFAULTS))).toEqual({ input_guardrails: [{ id, slug }], output_guardrails: [{ id, slug }] });
    for (const name of ["pg-nobody", await ofWorkspace("date")]) {
      const answer = await api.admin("PUT", DEFAULTS, { input_guardrails: [slug, name] });
      expectError(answer, 400, "AB01");
      expect(answer.text).toContain("input_guardrails[1]");
    }
    const scopes = ["organisation_settings.read", "guardrails.read"];
    const refused = await api.admin("POST", "/v2/api-keys/service", { name: "k", workspace_id: "default", scopes });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expectError(await api.admin("GET", DEFAULTS, undefined, await newKey(api, { scopes: ["guardrails.read"] })), 403, "AB03");
  });
});

describe("a guardrail", () => {
  const archive = (slug: string, status = "archived") => api.admin("PUT", `/v2/guardrails/${slug}`, { status });
  /** Asked to delete or to archive it, the gateway names who uses it. */
  const refusedFor = async (path: string, who: string): Promise<void> => {
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PUT", { status: "archived" }],
    ] as const) {
      const answer = await api.admin(method, path, body);
      expectError(answer, 409, "AB07");
      expect({ method, text: answer.text }).toEqual({ method, text: expect.stringContaining(who) });
    }
  };
  test(verifies("G.archived.refused", "that a config names is neither deleted nor archived"), async () => {
    const own = await ofWorkspace("kiwi");
    const config = { name: "c", workspace_id: "default", config: { targets: [{ provider: "sandbox", input_guardrails: [own] }] } };
    const saved = bodyOf(await api.admin("POST", "/v2/configs", config));
    const slug = String(saved["slug"] ?? (saved["data"] as Json)["slug"]);
    await refusedFor(`/v2/guardrails/${own}`, `the config ${slug}`);
    expect(await statusOf("a kiwi", { input_guardrails: [own] })).toBe(446);
    bodyOf(await api.admin("DELETE", `/v2/configs/${slug}`));
    bodyOf(await archive(own));
    bodyOf(await api.admin("DELETE", `/v2/guardrails/${own}`));
  });
  test("that the organisation's defaults name is neither deleted nor archived", async () => {
    const organisations = await ofOrganisation("lime");
    await setDefaults({ input_guardrails: [organisations] });
    await refusedFor(`/admin/v2/guardrails/${organisations}`, "the organisation");
  });
  test(verifies("G.archived.rests", "that is archived does not run, stays listed, and may be taken up again"), async () => {
    const slug = await ofWorkspace("mango");
    bodyOf(await archive(slug));
    expect(itemsOf(await api.admin("GET", "/v2/guardrails?workspace_id=default"))).toContainEqual(
      expect.objectContaining({ slug, status: "archived" }),
    );
    expect(await statusOf("mango", { input_guardrails: [slug] })).toBe(400);
    bodyOf(await archive(slug, "active"));
    expect(await statusOf("mango", { input_guardrails: [slug] })).toBe(446);
  });
});
