/** Models of integrations, and who may use which integration: written, listed, judged and obeyed, on either database. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, itemsOf, type Json } from "../endpoints/api.ts";
import { type Answer, ask, until } from "../process.ts";
import { chatStatus, errorOf, onBoth, refused } from "./api.ts";

const PATH = "/admin/v2/integrations";
const NONE = "0d9f4c1e-5b52-4a55-8f5e-3a9f3a1b2c3d";
let made = 0;

onBoth("Integrations", (plane) => {
  /** A new integration of the organisation with the offline provider, and what it was made of. */
  const integration = async (body: Json = {}): Promise<string> => {
    const slug = `grants-${++made}`;
    bodyOf(await plane.admin("POST", PATH, { name: slug, slug, ai_provider_id: "sandbox", ...body }));
    return slug;
  };
  const provider = async (slug: string, workspace: string): Promise<string> => {
    bodyOf(await plane.admin("POST", "/v2/providers", { name: slug, slug, integration_id: slug, workspace_id: workspace }));
    return `@${slug}`;
  };
  const models = async (slug: string): Promise<readonly Json[]> =>
    bodyOf(await plane.admin("GET", `${PATH}/${slug}/models`))["models"] as readonly Json[];
  const modelOf = async (slug: string, model: string): Promise<Json | undefined> =>
    (await models(slug)).find((one) => one["slug"] === model);
  const writeModels = (slug: string, body: Json): Promise<Answer> => plane.admin("PUT", `${PATH}/${slug}/models`, body);
  const grant = (slug: string, body: Json): Promise<Answer> => plane.admin("PUT", `${PATH}/${slug}/workspaces`, body);
  const granted = async (slug: string): Promise<Readonly<Record<string, Json>>> => {
    const { workspaces } = bodyOf(await plane.admin("GET", `${PATH}/${slug}/workspaces`)) as { workspaces: (Json & { id: string })[] };
    return Object.fromEntries(workspaces.map((one) => [one.id, one]));
  };

  describe("models", () => {
    test(verifies("1.control-integration-models", verifies("I.models.list", "are listed with those of the provider")), async () => {
      const slug = await integration();
      const own = await models(slug);
      expect(own).toContainEqual(expect.objectContaining({ slug: "sandbox-echo", name: "sandbox-echo", enabled: true, is_custom: false }));
      bodyOf(await writeModels(slug, { models: [{ slug: "mine", enabled: true, is_custom: true }], allow_all_models: false }));
      expect(bodyOf(await plane.admin("GET", `${PATH}/${slug}/models`))).toMatchObject({
        total: own.length + 1,
        models: [
          { slug: "mine", enabled: true, is_custom: true, is_finetune: false, base_model_slug: null },
          ...own.map(() => ({ enabled: false })),
        ],
      });
      expect(bodyOf(await plane.admin("GET", `${PATH}/${slug}`))).toMatchObject({ allow_all_models: false });
    });
    test(verifies("I.models.write", "are changed by slug, and members left out stay"), async () => {
      const slug = await integration();
      const price = { type: "static", pay_as_you_go: { request_token: { price: 0.5 }, response_token: { price: 1 } } };
      const tuned = { slug: "ft:echo:1", enabled: true, is_finetune: true, base_model_slug: "echo", pricing_config: price };
      expect(bodyOf(await writeModels(slug, { models: [tuned, { slug: "echo", enabled: true }] }))).toEqual({});
      expect(await modelOf(slug, "ft:echo:1")).toEqual({ ...tuned, name: "ft:echo:1", is_custom: true });
      bodyOf(await writeModels(slug, { models: [{ slug: "ft:echo:1", enabled: false }] }));
      expect(await modelOf(slug, "ft:echo:1")).toEqual({ ...tuned, name: "ft:echo:1", is_custom: true, enabled: false });
      const older = `${PATH}/${slug}/integration-models`;
      bodyOf(await plane.admin("PUT", older, { models: [{ slug: "ft:echo:1", enabled: true, pricing_config: null }] }));
      expect(bodyOf(await plane.admin("GET", older))).toMatchObject({
        models: expect.arrayContaining([expect.objectContaining({ slug: "ft:echo:1" })]),
      });
      expect(await modelOf(slug, "ft:echo:1")).not.toHaveProperty("pricing_config");
      const before = (await models(slug)).length;
      await Promise.all([1, 2, 3].map(async (n) => bodyOf(await writeModels(slug, { models: [{ slug: `m-${n}`, enabled: true }] }))));
      expect(await models(slug)).toHaveLength(before + 3);
    });
    const REFUSED: readonly (readonly [Json, string])[] = [
      [
        {
          models: [
            { slug: "a", enabled: true },
            { slug: "a", enabled: false },
          ],
        },
        "models[1].slug",
      ],
      [
        {
          models: [
            { slug: "a", enabled: true },
            { slug: "b", enabled: true, is_finetune: true },
          ],
        },
        "models[1].base_model_slug",
      ],
      [{ models: [{ slug: "b", enabled: true, base_model_slug: "echo" }] }, "models[0].base_model_slug"],
      [{ models: [{ slug: "b", enabled: true, is_custom: false, is_finetune: true, base_model_slug: "echo" }] }, "models[0].is_custom"],
      [{ models: [{ slug: "b", enabled: true, configurations: { custom_headers: { a: "b" } } }] }, "models[0].configurations"],
      [{ models: [{ slug: "b", enabled: "yes" }] }, "models[0].enabled"],
      [{ models: [{ slug: "", enabled: true }] }, "models[0].slug"],
      [{ models: [{ enabled: true }] }, "models[0].slug"],
      [
        { models: [{ slug: "b", enabled: true, pricing_config: { pay_as_you_go: { request_token: { price: -1 } } } }] },
        "models[0].pricing_config.pay_as_you_go.request_token.price",
      ],
      [{ models: [{ slug: "b", enabled: true, more: 1 }] }, "models[0].more"],
      [{ allow_all_models: true }, "models"],
      [{ models: [], allow_all_models: "all" }, "allow_all_models"],
    ];
    const custom = (configurations: Json): Json => ({ models: [{ slug: "b", enabled: true, is_custom: true, configurations }] });
    const NEVER_SENT: readonly (readonly [Json, string])[] = [
      [custom({ custom_headers: { "content-length": "1" } }), "models[0].configurations.custom_headers.content-length"],
      [custom({ custom_headers: { "x-gateway-api-key": "1" } }), "models[0].configurations.custom_headers.x-gateway-api-key"],
      [custom({ custom_headers: { "metadata-flavor": "Google" } }), "models[0].configurations.custom_headers.metadata-flavor"],
      [custom({ custom_headers: { "x-a": "b\r\nx: y" } }), "models[0].configurations.custom_headers.x-a"],
    ];
    test(verifies("I.models.refused", "that make no sense are refused with their path, and nothing is written"), async () => {
      const slug = await integration();
      for (const [body, param] of [...REFUSED, ...NEVER_SENT])
        expect([param, errorOf(await writeModels(slug, body))]).toEqual([param, refused(400, "AB01", param)]);
      expect((await writeModels(slug, custom({ custom_host: "http://169.254.169.254/latest" }))).status).toBe(400);
      expect((await writeModels(slug, custom({ custom_host: "nowhere" }))).status).toBe(400);
      const many = Array.from({ length: 1001 }, (_, n) => ({ slug: `m-${n}`, enabled: true }));
      expect(errorOf(await writeModels(slug, { models: many }))).toEqual(refused(400, "AB01", "models"));
      expect((await models(slug)).filter(({ slug: one }) => one === "a" || one === "b")).toEqual([]);
    });
    test(verifies("I.models.delete", "of one's own are deleted, all or none"), async () => {
      const slug = await integration();
      const own = (name: string): Json => ({ slug: name, enabled: true, is_custom: true });
      bodyOf(await writeModels(slug, { models: [own("a"), own("b"), own("c"), { slug: "echo", enabled: false }] }));
      const path = `${PATH}/${slug}/models`;
      expect(errorOf(await plane.admin("DELETE", path))).toEqual(refused(400, "AB01", "slugs"));
      expect(errorOf(await plane.admin("DELETE", `${path}?slugs=a,nobody`))).toEqual(refused(404, "AB08", "slugs"));
      expect(errorOf(await plane.admin("DELETE", `${path}?slugs=a,echo`))).toEqual(refused(400, "AB01", "slugs"));
      expect(await modelOf(slug, "a")).toBeDefined();
      expect(bodyOf(await plane.admin("DELETE", `${path}?slugs=a,%20b`))).toEqual({});
      expect((await models(slug)).map((one) => one["slug"])).toEqual(expect.not.arrayContaining(["a", "b"]));
      expect(errorOf(await plane.admin("DELETE", `${path}?slugs=a`))).toEqual(refused(404, "AB08", "slugs"));
    });
    test(
      verifies(
        "I.models.enforced",
        verifies("D4.model-forbidden", "that may not be asked are refused by a sentence, and within a second of the change"),
      ),
      async () => {
        const slug = await integration();
        const [reference, key] = [await provider(slug, "default"), await plane.key("default", ["completions.write"])];
        const status = () => chatStatus(plane, key, "Hi", { "x-gateway-provider": reference });
        expect(await status()).toBe(200);
        bodyOf(await writeModels(slug, { models: [{ slug: "echo", enabled: false }] }));
        await until("it is refused", async () => (await status()) === 403, 1_000);
        const body = { model: "echo", messages: [{ role: "user", content: "Hi" }] };
        const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, body, { "x-gateway-provider": reference });
        expect(at(answer.json, "error", "message")).toBe(
          `The model echo may not be asked of the provider ${reference}: it is disabled there.`,
        );
        expect(at(answer.json, "error", "type")).toBe("permission_error");
        bodyOf(await writeModels(slug, { models: [{ slug: "echo", enabled: true }], allow_all_models: false }));
        await until("it is allowed again", async () => (await status()) === 200, 1_000);
        const other = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, { ...body, model: `${reference}/other` });
        expect([other.status, at(other.json, "error", "message")]).toEqual([
          403,
          `The model other may not be asked of the provider ${reference}: it is none of those that its integration allows.`,
        ]);
      },
    );
  });

  describe("workspaces", () => {
    test(
      verifies("1.control-integration-workspaces", verifies("I.grants.list", "and what each may do are listed and counted")),
      async () => {
        const slug = await integration();
        const { id } = await plane.workspace(`Listed ${slug}`);
        expect((await granted(slug))[id]).toEqual({ id, enabled: true, usage_limits: null, rate_limits: null, last_reset_at: null });
        const all = Number(bodyOf(await plane.admin("GET", `${PATH}/${slug}`))["workspace_count"]);
        expect(all).toBeGreaterThan(1);
        bodyOf(await grant(slug, { workspaces: [{ id, enabled: false }] }));
        expect((await granted(slug))[id]).toMatchObject({ enabled: false });
        expect(bodyOf(await plane.admin("GET", `${PATH}/${slug}`))).toMatchObject({
          workspace_count: all - 1,
          global_workspace_access_settings: null,
        });
        expect(bodyOf(await plane.admin("GET", `${PATH}/${slug}/workspaces?page_size=1&current_page=0`))).toMatchObject({
          total: all,
          workspaces: [{ id: expect.any(String) }],
        });
      },
    );
    test(verifies("I.grants.write", "are granted one by one, which closes it to others, and back to all"), async () => {
      const slug = await integration();
      const [one, two] = [await plane.workspace(`One ${slug}`), await plane.workspace(`Two ${slug}`)];
      const usage_limits = [{ type: "cost", credit_limit: 10, alert_threshold: 5 }];
      const rate_limits = [{ type: "requests", unit: "rpm", value: 5 }];
      expect(bodyOf(await grant(slug, { workspaces: [{ id: one.slug, enabled: true, usage_limits, rate_limits }] }))).toEqual({});
      expect(await granted(slug)).toMatchObject({ [one.id]: { enabled: true, usage_limits, rate_limits }, [two.id]: { enabled: false } });
      expect(bodyOf(await plane.admin("GET", `${PATH}/${slug}`))).toMatchObject({
        workspace_count: 1,
        global_workspace_access_settings: { enabled: false },
        last_reset_at: null,
      });
      bodyOf(await grant(slug, { workspaces: [{ id: one.id, enabled: true, reset_usage: true }] }));
      expect((await granted(slug))[one.id]).toMatchObject({ usage_limits, rate_limits, last_reset_at: expect.stringMatching(/Z$/) });
      bodyOf(await grant(slug, { global_workspace_access: { enabled: true, rate_limits }, workspaces: [{ id: one.id, enabled: false }] }));
      expect(await granted(slug)).toMatchObject({ [one.id]: { enabled: false }, [two.id]: { enabled: true, rate_limits } });
      const wrong: readonly (readonly [Json, string])[] = [
        [
          {
            workspaces: [
              { id: two.id, enabled: false },
              { id: NONE, enabled: true },
            ],
          },
          "workspaces[1].id",
        ],
        [
          {
            workspaces: [
              { id: two.id, enabled: false },
              { id: two.slug, enabled: true },
            ],
          },
          "workspaces[1].id",
        ],
        [{ workspaces: [{ id: two.id }] }, "workspaces[0].enabled"],
        [{ workspaces: [{ id: two.id, enabled: false, rate_limits: [...rate_limits, ...rate_limits] }] }, "workspaces[0].rate_limits"],
        [
          { workspaces: [{ id: two.id, enabled: false, usage_limits: [{ credit_limit: 1, alert_threshold: 2 }] }] },
          "usage_limits.alert_threshold",
        ],
        [{ global_workspace_access: {} }, "global_workspace_access.enabled"],
        [{ workspaces: [{ id: two.id, enabled: false, default_provider_slug: "a b" }] }, "workspaces[0].default_provider_slug"],
      ];
      for (const [body, param] of wrong) expect([param, errorOf(await grant(slug, body))]).toEqual([param, refused(400, "AB01", param)]);
      expect((await granted(slug))[two.id]).toMatchObject({ enabled: true });
    });
    test(verifies("I.grants.override", "lose their own settings to what is said of all"), async () => {
      const slug = await integration();
      const [one, two] = [await plane.workspace(`Over ${slug}`), await plane.workspace(`Ride ${slug}`)];
      const all = { global_workspace_access: { enabled: true }, create_default_provider: false };
      bodyOf(await grant(slug, { workspaces: [one, two].map(({ id }) => ({ id, enabled: false })) }));
      bodyOf(await grant(slug, all));
      expect(await granted(slug)).toMatchObject({ [one.id]: { enabled: false }, [two.id]: { enabled: false } });
      bodyOf(await grant(slug, { ...all, override_existing_workspace_access: true, workspaces: [{ id: two.id, enabled: false }] }));
      expect(await granted(slug)).toMatchObject({ [one.id]: { enabled: true }, [two.id]: { enabled: false } });
      bodyOf(await grant(slug, { ...all, override_existing_workspace_access: true, workspaces: [] }));
      expect((await granted(slug))[two.id]).toMatchObject({ enabled: true });
    });
    test(verifies("I.grants.providers", "get a provider with a grant, unless it is asked not to"), async () => {
      const slug = await integration();
      const [one, two, three] = [
        await plane.workspace(`P1 ${slug}`),
        await plane.workspace(`P2 ${slug}`),
        await plane.workspace(`P3 ${slug}`),
      ];
      const slugsOf = async ({ id }: { readonly id: string }) =>
        itemsOf(await plane.admin("GET", `/v2/providers?workspace_id=${id}`)).map((found) => found["slug"]);
      const workspaces = [
        { id: one.id, enabled: true },
        { id: two.id, enabled: true, default_provider_slug: "named" },
        { id: three.id, enabled: true, create_default_provider: false },
      ];
      bodyOf(await grant(slug, { workspaces }));
      expect([await slugsOf(one), await slugsOf(two), await slugsOf(three)]).toEqual([[slug], ["named"], []]);
      const other = await integration();
      const taken = {
        workspaces: [
          { id: three.id, enabled: true },
          { id: one.id, enabled: true, default_provider_slug: slug },
        ],
      };
      expect(errorOf(await grant(other, taken))).toEqual(refused(409, "AB07", "default_provider_slug"));
      expect(await slugsOf(three)).toEqual([]);
      bodyOf(await grant(other, { global_workspace_access: { enabled: true }, default_provider_slug: slug }));
      expect([await slugsOf(one), await slugsOf(three)]).toEqual([[slug], [slug]]); // where the name is taken, none is made
    });
    test(verifies("I.grants.enforced", "that may no longer use it are refused at once, and make no provider of it"), async () => {
      const slug = await integration();
      const workspace = await plane.workspace(`Withdrawn ${slug}`);
      const key = await plane.key(workspace.id, ["completions.write", "providers.create"]);
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: true }] }));
      const status = () => chatStatus(plane, key, "Hi", { "x-gateway-provider": `@${slug}` });
      expect(await status()).toBe(200);
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: false }] }));
      await until("it is refused", async () => (await status()) === 403, 1_000);
      expect(errorOf(await plane.as(key, "POST", "/v2/providers", { name: "again", integration_id: slug }))).toEqual(
        refused(400, "AB01", "integration_id"),
      );
      const body = { model: `@${slug}/echo`, messages: [{ role: "user", content: "Hi" }] };
      const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, body);
      expect(at(answer.json, "error", "message")).toContain(`The provider @${slug} may not be used here`);
      bodyOf(await grant(slug, { global_workspace_access: { enabled: true }, override_existing_workspace_access: true }));
      await until("it is used again", async () => (await status()) === 200, 1_000);
    });
    test(verifies("I.grants.rate-limits", "share the limit of a grant among all of their keys, and that of a provider"), async () => {
      const slug = await integration();
      const workspace = await plane.workspace(`Limited ${slug}`);
      const keys = [await plane.key(workspace.id, ["completions.write"]), await plane.key(workspace.id, ["completions.write"])] as const;
      const statuses = async (reference: string) => {
        const found: number[] = [];
        for (const key of [...keys, ...keys]) found.push(await chatStatus(plane, key, "Hi", { "x-gateway-provider": reference }));
        return found;
      };
      const rate_limits = [{ type: "requests", unit: "rpd", value: 3 }];
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: true, rate_limits }] }));
      expect(await statuses(`@${slug}`)).toEqual([200, 200, 200, 429]);
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: true, rate_limits: null }] }));
      await until(
        "the limit is gone",
        async () => (await chatStatus(plane, keys[0], "Hi", { "x-gateway-provider": `@${slug}` })) === 200,
        1_000,
      );
      const own = {
        name: "own",
        slug: "own",
        integration_id: slug,
        workspace_id: workspace.id,
        rate_limits: [{ ...rate_limits[0], value: 2 }],
      };
      bodyOf(await plane.admin("POST", "/v2/providers", own));
      expect(await statuses("@own")).toEqual([200, 200, 429, 429]);
      expect(await statuses(`@${slug}`)).toEqual([200, 200, 200, 200]);
      bodyOf(await grant(slug, { global_workspace_access: { enabled: true, rate_limits }, override_existing_workspace_access: true }));
      await until(
        "all are limited",
        async () => (await chatStatus(plane, keys[0], "Hi", { "x-gateway-provider": `@${slug}` })) === 429,
        1_000,
      );
    });
    test("of one workspace's own integration are that workspace alone", async () => {
      const workspace = await plane.workspace(`Own ${made}`);
      const slug = await integration({ workspace_id: workspace.id });
      const key = await plane.key(workspace.id, ["completions.write"]);
      const status = () => chatStatus(plane, key, "Hi", { "x-gateway-provider": `@${slug}` });
      expect(await status()).toBe(200);
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: false }] }));
      await until("it is refused", async () => (await status()) === 403, 1_000);
      bodyOf(await grant(slug, { workspaces: [{ id: workspace.id, enabled: true }] }));
      expect(await granted(slug)).toEqual({ [workspace.id]: expect.objectContaining({ enabled: true }) });
      expect(errorOf(await grant(slug, { workspaces: [{ id: "default", enabled: true }] }))).toEqual(
        refused(400, "AB01", "workspaces[0].id"),
      );
      expect(errorOf(await grant(slug, { global_workspace_access: { enabled: true } }))).toEqual(
        refused(400, "AB01", "global_workspace_access"),
      );
    });
  });

  test(verifies("I.tenants", "are open to no key without the scope, and to no other tenant; a deleted one is gone"), async () => {
    const [slug, workspace] = [await integration(), await plane.workspace(`Stranger ${made}`)];
    const bare = await plane.key("default", ["completions.write"]);
    const stranger = await plane.key(workspace.id, ["workspace_integrations.read", "workspace_integrations.update"]);
    const routes = ["models", "workspaces"].flatMap((name) => [["GET", name] as const, ["PUT", name] as const]);
    for (const [method, name] of routes) {
      const body = method === "PUT" ? { [name]: [] } : undefined;
      expect(errorOf(await plane.as(bare, method, `${PATH}/${slug}/${name}`, body))).toMatchObject({ status: 403, code: "AB03" });
      expect(errorOf(await plane.as(stranger, method, `${PATH}/${slug}/${name}`, body))).toMatchObject({ status: 404, code: "AB08" });
    }
    expect(errorOf(await plane.as(stranger, "DELETE", `${PATH}/${slug}/models?slugs=a`))).toMatchObject({ status: 404 });
    bodyOf(await plane.admin("DELETE", `${PATH}/${slug}`));
    for (const [method, name] of routes)
      expect((await plane.admin(method, `${PATH}/${slug}/${name}`, method === "PUT" ? { [name]: [] } : undefined)).status).toBe(404);
  });

  test(verifies("I.tags", verifies("2.10.tags-filter", "are found by their tags, in either form, and so are providers")), async () => {
    const team = `team-${++made}`;
    const gold = await integration({ tags: { team, tier: "gold" } });
    const tin = await integration({ tags: { team, tier: "tin" } });
    const found = async (path: string) => itemsOf(await plane.admin("GET", path)).map((one) => one["slug"]);
    const json = (tags: Json): string => `tags=${encodeURIComponent(JSON.stringify(tags))}`;
    expect((await found(`${PATH}?${json({ team })}`)).toSorted()).toEqual([gold, tin].toSorted());
    expect(await found(`${PATH}?${json({ team, tier: "tin" })}`)).toEqual([tin]);
    expect(await found(`${PATH}?tags[team]=${team}&tags[tier]=gold`)).toEqual([gold]);
    expect(await found(`${PATH}?${json({ team: "nobody" })}`)).toEqual([]);
    expect(errorOf(await plane.admin("GET", `${PATH}?tags=team`))).toEqual(refused(400, "AB01", "tags"));
    bodyOf(await plane.admin("POST", "/v2/providers", { name: gold, slug: gold, integration_id: gold, tags: { team } }));
    expect(await found(`/v2/providers?${json({ team })}`)).toEqual([gold]);
    expect(await found(`/v2/providers?tags[team]=nobody`)).toEqual([]);
  });
});
