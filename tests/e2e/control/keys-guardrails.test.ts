/** Guardrails that a key brings to each of its requests. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, type Json } from "../endpoints/api.ts";
import { chatStatus, errorOf, onBoth, refused } from "./api.ts";

const DENIED = 446;
const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
const actions: Json = { deny: true, async: false, on_success: feedback, on_fail: feedback };

onBoth("guardrails of keys", (plane) => {
  const guardrail = async (path: string, word: string): Promise<Json> =>
    bodyOf(
      await plane.admin("POST", path, {
        ...{ name: `No ${word}`, actions },
        checks: [{ id: "default.contains", parameters: { words: [word], operator: "none" } }],
      }),
    );
  const ofWorkspace = (workspace: string, word: string): Promise<Json> => guardrail(`/v2/guardrails?workspace_id=${workspace}`, word);
  const keyWith = (workspace_id: string, defaults: Json, more: Json = {}) =>
    plane.admin("POST", "/v2/api-keys/service", { name: "judged", workspace_id, scopes: ["completions.write"], defaults, ...more });

  test(verifies("K.guardrails", "judge every request made with it, whatever the request's config says"), async () => {
    const { id } = await plane.workspace("Judged keys");
    const [onInput, onOutput] = [await ofWorkspace(id, "apple"), await guardrail("/admin/v2/guardrails", "pear")];
    const made = bodyOf(await keyWith(id, { input_guardrails: [onInput["id"]], output_guardrails: [onOutput["slug"]] }));
    const key = String(made["key"]);
    const read = bodyOf(await plane.admin("GET", `/v2/api-keys/${made["id"]}`));
    expect(read["defaults"]).toEqual({ input_guardrails: [onInput["slug"]], output_guardrails: [onOutput["slug"]] });
    const without = { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [], output_guardrails: [] }) };
    for (const headers of [{}, without]) {
      const asked = ["plum", "apple", "pear"].map((content) => chatStatus(plane, key, content, headers));
      expect(await Promise.all(asked)).toEqual([200, DENIED, DENIED]);
    }
    expect(await chatStatus(plane, await plane.key(id, ["completions.write"]), "apple")).toBe(200);
    const rotated = String(bodyOf(await plane.admin("POST", `/v2/api-keys/${made["id"]}/rotate`))["key"]);
    expect([await chatStatus(plane, rotated, "apple"), await chatStatus(plane, key, "apple")]).toEqual([DENIED, DENIED]);

    expect(errorOf(await plane.admin("DELETE", `/v2/guardrails/${onInput["slug"]}?workspace_id=${id}`))).toEqual(refused(409, "AB07"));
    bodyOf(await plane.admin("PUT", `/v2/api-keys/${made["id"]}`, { defaults: {} }));
    expect([await chatStatus(plane, rotated, "apple"), await chatStatus(plane, key, "pear")]).toEqual([200, 200]);
    expect((await plane.admin("DELETE", `/v2/guardrails/${onInput["slug"]}?workspace_id=${id}`)).status).toBe(200);
  });
  test("a guardrail that is none, or another workspace's, is refused with its place in the list", async () => {
    const [{ id: own }, { id: other }] = [await plane.workspace("Names guardrails"), await plane.workspace("Has guardrails")];
    const { slug } = await ofWorkspace(other, "fig");
    for (const name of ["pg-none", slug])
      expect(errorOf(await keyWith(own, { input_guardrails: [name] }))).toMatchObject({
        status: 400,
        param: "defaults.input_guardrails[0]",
      });
    const admin = { name: "a", scopes: ["configs.read"], defaults: { output_guardrails: [slug] } };
    expect(errorOf(await plane.admin("POST", "/v2/api-keys/service", admin))).toMatchObject({
      status: 400,
      param: "defaults.output_guardrails[0]",
    });
  });
  test(
    verifies("K.guardrails-width", "a key that is judged makes keys that are judged as well, and loses it by nothing of its own"),
    async () => {
      const { id } = await plane.workspace("Makes judged keys");
      const { slug } = await ofWorkspace(id, "grape");
      const scopes = ["completions.write", "workspace_service_api_keys.create", "workspace_service_api_keys.update"];
      const maker = bodyOf(await keyWith(id, { input_guardrails: [slug] }, { scopes }));
      const make = (body: Json = {}) =>
        plane.as(String(maker["key"]), "POST", "/v2/api-keys/service", { name: "made", scopes: ["completions.write"], ...body });
      for (const body of [{}, { defaults: { input_guardrails: [] } }]) {
        const made = bodyOf(await make(body));
        expect(await chatStatus(plane, String(made["key"]), "grape")).toBe(DENIED);
      }
      const self = `/v2/api-keys/${maker["id"]}`;
      bodyOf(await plane.as(String(maker["key"]), "PUT", self, { defaults: { input_guardrails: [] } }));
      expect(await chatStatus(plane, String(maker["key"]), "grape")).toBe(DENIED);
      const free = bodyOf(await keyWith(id, {}));
      expect(errorOf(await plane.as(String(maker["key"]), "PUT", `/v2/api-keys/${free["id"]}`, { name: "x" }))).toEqual(
        refused(403, "AB03", "defaults"),
      );
    },
  );
  test(verifies("K.exclusions", "details say from which guardrails of the organisation the key's workspace is excluded"), async () => {
    const [{ id: free }, { id: bound }] = [await plane.workspace("Free of guardrails"), await plane.workspace("Bound to guardrails")];
    const organisation_id = bodyOf(await plane.admin("GET", "/v2/admin/organisation"))["id"];
    const workspaces = [{ workspace_id: free, excluded: true }];
    bodyOf(await plane.admin("PUT", "/v1/workspace-exclusions/output-guardrails", { organisation_id, workspaces }));
    for (const [workspace, excluded] of [
      [free, true],
      [bound, false],
    ] as const) {
      const { id } = bodyOf(await keyWith(workspace, {}));
      expect(bodyOf(await plane.admin("GET", `/v2/api-keys/${id}`))).toMatchObject({
        workspace_guardrail_exclusions: { input_guardrails: false, output_guardrails: excluded },
      });
    }
  });
});
