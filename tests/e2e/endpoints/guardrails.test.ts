/** Saved guardrails: their resource, and their checks. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, chat } from "../process.ts";
import { at, bodyOf, expectError, forAll, ISO, itemsOf, type Json, NOBODY, UUID } from "./api.ts";

const api = forAll();
const ACTIONS: Json = {
  deny: true,
  async: false,
  on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
  on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
};
const WORDS: Json = { id: "default.wordCount", parameters: { minWords: 1, maxWords: 3 } };
const save = (body: Json = {}): Promise<Answer> =>
  api.admin("POST", "/v2/guardrails", { name: "Few words", checks: [WORDS], actions: ACTIONS, workspace_id: "default", ...body });
const saved = async (body: Json = {}): Promise<Json> => bodyOf(await save(body));
const withCheck = (id: string, parameters?: Json): Promise<Answer> => save({ checks: [{ id, ...(parameters && { parameters }) }] });

const SUMMARY: Json = {
  id: UUID,
  name: "Few words",
  slug: expect.stringMatching(/^[\w-]+$/),
  target: "llm",
  organisation_id: UUID,
  workspace_id: UUID,
  status: "active",
  created_at: ISO,
  last_updated_at: ISO,
  owner_id: UUID,
  updated_by: null,
};

describe("E1: GET /v2/guardrails/{guardrailId}", () => {
  test(verifies("E1.get", "gives the details, by id and by slug"), async () => {
    const { id, slug } = await saved();
    const read = bodyOf(await api.admin("GET", `/v2/guardrails/${id}`));
    expect(read).toMatchObject({ ...SUMMARY, id, slug });
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${slug}`))).toEqual(read);
  });
  test(verifies("2.2.fields", "shows checks and actions as they were saved"), async () => {
    const checks = [
      { ...WORDS, name: "Short", is_enabled: false },
      { id: "default.endsWith", parameters: { suffix: "!" } },
    ];
    const { id } = await saved({ checks });
    const read = bodyOf(await api.admin("GET", `/v2/guardrails/${id}`));
    expect(read).toMatchObject({ ...SUMMARY, checks, actions: ACTIONS });
    expect(Object.keys(read).sort()).toEqual([...Object.keys(SUMMARY), "actions", "checks", "secret_mappings", "version_id"].sort());
  });
  test.each([NOBODY, "pg-nobody", "..%2f", "%00", "a".repeat(300)])(
    verifies("E1.forbidden", "answers 403 and the error body for %s"),
    async (id) => {
      expectError(await api.admin("GET", `/v2/guardrails/${id}`), 403, "AB03");
    },
  );
  test(verifies("E1.documented", "documents 200, 403 and 500 with their schemas"), async () => {
    const document = bodyOf(await api.data("GET", "/openapi.json"));
    const responses = at(document, "paths", "/v2/guardrails/{guardrailId}", "get", "responses");
    expect(at(responses, 200, "content", "application/json", "schema")).toBeDefined();
    for (const status of [403, 500]) expect(at(responses, status)).toEqual({ $ref: "#/components/responses/Error" });
    expect(at(document, "components", "schemas", "ErrorResponse")).toMatchObject({
      required: ["error"],
      properties: { error: { required: ["type", "message", "param", "code"] } },
    });
  });
});

describe("E2: GET /v2/guardrails", () => {
  test(verifies("E2.list", "gives data and total, and nothing else"), async () => {
    await saved();
    const { data, total, ...rest } = bodyOf(await api.admin("GET", "/v2/guardrails?workspace_id=default&page_size=1000"));
    expect(rest).toEqual({});
    expect(at(data, "length")).toBe(total);
  });
  test(verifies("2.1.fields", "lists summaries of eleven fields"), async () => {
    await saved();
    const items = itemsOf(await api.admin("GET", "/v2/guardrails?workspace_id=default&page_size=1000"));
    for (const item of items)
      expect(item).toEqual({
        ...SUMMARY,
        name: expect.any(String),
        target: expect.stringMatching(/^(llm|mcp_tools)$/),
        updated_by: item["updated_by"] === null ? null : UUID,
      });
  });
  test(verifies("E2.page", "pages: together the pages have every guardrail once"), async () => {
    for (let made = 0; made < 3; made += 1) await saved();
    const total = Number(bodyOf(await api.admin("GET", "/v2/guardrails?workspace_id=default"))["total"]);
    const pages = await Promise.all(
      Array.from({ length: Math.ceil(total / 2) }, (_, page) =>
        api.admin("GET", `/v2/guardrails?workspace_id=default&page_size=2&current_page=${page}`),
      ),
    );
    const ids = pages.flatMap((page) => itemsOf(page).map(({ id }) => id));
    expect(new Set(ids).size).toBe(total);
    expect(ids.length).toBe(total);
  });
  test.each([
    "page_size=0",
    "page_size=1001",
    "page_size=-1",
    "page_size=1.5",
    "page_size=many",
    "page_size=",
    "current_page=-1",
    "current_page=x",
    "no_such=1",
  ])(verifies("8.page-size", "refuses %s"), async (query) => {
    expectError(await api.admin("GET", `/v2/guardrails?${query}`), 400, "AB01");
  });
  test.each(["page_size=1", "page_size=1000", "current_page=0", "current_page=1000000"])(
    "takes %s",
    async (query) => void bodyOf(await api.admin("GET", `/v2/guardrails?${query}`)),
  );
  test(verifies("E2.errors", "answers errors with the error body: wrong query 400, no key 401, no scope 403"), async () => {
    expectError(await api.admin("GET", "/v2/guardrails?page_size=0"), 400, "AB01");
    expectError(await api.admin("GET", "/v2/guardrails", undefined, "nobodysKey"), 401, "AB05");
    const weak = String(
      bodyOf(await api.admin("POST", "/v2/api-keys/service", { name: "weak", workspace_id: "default", scopes: ["completions.write"] }))[
        "key"
      ],
    );
    expectError(await api.admin("GET", "/v2/guardrails", undefined, weak), 403, "AB03");
  });
  test(verifies("2.6.list-no-target-filter", "shows both targets, or the one asked for"), async () => {
    const mine = [await saved(), await saved({ target: "mcp_tools" })].map(({ id }) => String(id));
    const shown = async (query: string): Promise<readonly unknown[]> =>
      itemsOf(await api.admin("GET", `/v2/guardrails?workspace_id=default&ids=${mine.join(",")}${query}`))
        .map(({ target }) => target)
        .sort();
    expect(await shown("")).toEqual(["llm", "mcp_tools"]);
    expect(await shown("&target=mcp_tools")).toEqual(["mcp_tools"]);
  });
});

describe("a saved guardrail", () => {
  test(verifies("2.uuid", "has UUIDs for ids"), async () => {
    const read = bodyOf(await api.admin("GET", `/v2/guardrails/${(await saved())["id"]}`));
    for (const member of ["id", "organisation_id", "workspace_id", "owner_id"]) expect(read[member]).toEqual(UUID);
  });
  test(verifies("2.date-time", "has ISO 8601 times"), async () => {
    const read = bodyOf(await api.admin("GET", `/v2/guardrails/${(await saved())["id"]}`));
    for (const member of ["created_at", "last_updated_at"]) expect(read[member]).toEqual(ISO);
  });
  test(verifies("2.6.create-response", "is answered with created_at and created_by"), async () => {
    expect(await saved()).toEqual({ id: UUID, slug: expect.any(String), version_id: UUID, created_at: ISO, created_by: UUID });
  });
  test(verifies("2.1.target", "is for llm by default, and for nothing but llm and mcp_tools"), async () => {
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${(await saved())["id"]}`))["target"]).toBe("llm");
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${(await saved({ target: "mcp_tools" }))["id"]}`))["target"]).toBe("mcp_tools");
    expectError(await save({ target: "agents" }), 400, "AB01");
  });
  test(verifies("2.1.nullable", "has workspace_id null when it is the organisation's, and updated_by once it was updated"), async () => {
    const { id } = bodyOf(await api.admin("POST", "/v2/guardrails", { name: "Everywhere", checks: [WORDS], actions: ACTIONS }));
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${id}`))).toMatchObject({ workspace_id: null, updated_by: null });
    bodyOf(await api.admin("PUT", `/v2/guardrails/${id}`, { name: "Nowhere" }));
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${id}`))).toMatchObject({ name: "Nowhere", updated_by: UUID });
  });
  test(verifies("3.guardrail-states", "is active"), async () => {
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${(await saved())["id"]}`))["status"]).toBe("active");
  });
  test(verifies("1.control-guardrails", "can be created, listed, read, updated and deleted"), async () => {
    const { id } = await saved();
    bodyOf(
      await api.admin("PUT", `/v2/guardrails/${id}`, {
        name: "Other",
        checks: [{ id: "default.contains", parameters: { words: ["x"], operator: "none" } }],
      }),
    );
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${id}`))).toMatchObject({ name: "Other", checks: [{ id: "default.contains" }] });
    bodyOf(await api.admin("DELETE", `/v2/guardrails/${id}`));
    expectError(await api.admin("GET", `/v2/guardrails/${id}`), 403);
    expect(itemsOf(await api.admin("GET", `/v2/guardrails?workspace_id=default&ids=${id}`))).toEqual([]);
  });
  test(
    verifies("1.control-org-guardrails", "of the organisation can be managed on the admin plane, and guards every workspace"),
    async () => {
      const { id, slug } = bodyOf(
        await api.admin("POST", "/admin/v2/guardrails", {
          name: "All",
          checks: [{ id: "default.wordCount", parameters: { maxWords: 1 } }],
          actions: ACTIONS,
        }),
      );
      expect(
        (
          await chat(
            api.gateway,
            { messages: [{ role: "user", content: "two words" }] },
            { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [slug] }) },
          )
        ).status,
      ).toBe(446);
      bodyOf(await api.admin("PUT", `/admin/v2/guardrails/${id}`, { name: "Renamed" }));
      expect(bodyOf(await api.admin("GET", `/admin/v2/guardrails/${id}`))).toMatchObject({ name: "Renamed", workspace_id: null });
      expect(Number(bodyOf(await api.admin("GET", "/admin/v2/guardrails"))["total"])).toBeGreaterThan(0);
      bodyOf(await api.admin("DELETE", `/admin/v2/guardrails/${id}`));
    },
  );
});

describe("checks and actions", () => {
  test(verifies("2.3.check-fields", "take id, parameters, name and is_enabled, and no other member"), async () => {
    await saved({ checks: [{ ...WORDS, name: "n", is_enabled: true }] });
    expectError(await save({ checks: [{ parameters: {} }] }), 400, "AB01");
    expectError(await save({ checks: [{ ...WORDS, colour: "red" }] }), 400, "AB01");
  });
  test(verifies("2.3.check-disabled", "are skipped with is_enabled false, and run without it"), async () => {
    const status = async (check: Json): Promise<number> => {
      const { slug } = await saved({ checks: [{ id: "default.wordCount", parameters: { maxWords: 1 }, ...check }] });
      return (
        await chat(
          api.gateway,
          { messages: [{ role: "user", content: "two words" }] },
          { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [slug] }) },
        )
      ).status;
    };
    expect([await status({}), await status({ is_enabled: true }), await status({ is_enabled: false })]).toEqual([446, 446, 200]);
  });
  test.each(["default.nothing", "nothing", "partner_z.guard", "", "constructor", "default.__proto__"])(
    verifies("2.3.check-unknown", "%j does not exist and is refused at save"),
    async (id) => {
      expectError(await withCheck(id), 400, "AB01");
    },
  );
  test.each<[string, Json]>([
    ["modelWhitelist", { models: ["gpt-4o"] }],
    ["isAllLowerCase", {}],
    ["regexMatch", { rule: "a+" }],
    ["sentenceCount", {}],
    ["wordCount", {}],
    ["characterCount", {}],
    ["jsonSchema", { schema: { type: "object" } }],
    ["jsonKeys", { keys: ["a"], operator: "all" }],
    ["contains", { words: ["a"], operator: "any" }],
    ["containsCode", { format: "SQL" }],
    ["webhook", { webhookURL: "https://hooks.example.com/x" }],
    ["endsWith", { suffix: "!" }],
    ["alluppercase", {}],
    ["requiredMetadataKeys", { metadataKeys: ["team"], operator: "all" }],
    ["allowedRequestTypes", { allowedTypes: ["chatComplete"] }],
    ["jwt", { jwksUri: "https://a.example.com/jwks,https://b.example.com/jwks", headerKey: "x-user-token", extractClaims: ["sub"] }],
    ["validUrls", { onlyDNS: true }],
    ["requestParametersCheck", { tools: { blockedTypes: ["web_search"] }, params: { values: { n: { allowedValues: [1] } } } }],
    ["addPrefix", { prefix: "Be brief. " }],
    ["requiredMetadataKeyPairs", { metadataKeyPairs: { team: "a" }, operator: "all" }],
    ["notNull", {}],
    ["modelRules", { rules: { defaults: ["gpt-4o"], metadata: { team: { a: ["o3"] } } } }],
    ["regexReplace", { rule: "/secret/i", replace: "***" }],
    ["log", { logURL: "https://logs.example.com/take" }],
    ["inlineImageUrls", { providers: ["openai"] }],
  ])(
    verifies("2.3.builtin", "default.%s can be saved"),
    async (name, parameters) => void bodyOf(await withCheck(`default.${name}`, parameters)),
  );
  test.each(["scanPrompt", "scanResponse"])(verifies("2.3.partner-c", "partner_c.%s can be saved"), async (name) => {
    bodyOf(
      await withCheck(`partner_c.${name}`, { scanners: ["prompt_injection", "pii", "secrets", "toxic_language", "invisible_characters"] }),
    );
    expectError(await withCheck(`partner_c.${name}`, { scanners: ["mood"] }), 400, "AB01");
  });
  test.each<[string, Json]>([
    ["default.regexMatch", {}],
    ["default.regexMatch", { rule: 5 }],
    ["default.regexMatch", { rule: "(" }],
    ["default.contains", { words: "a" }],
    ["default.contains", { words: ["a"], operator: "most" }],
    ["default.wordCount", { minWords: "two" }],
    ["default.containsCode", { format: "COBOL" }],
    ["default.webhook", { webhookURL: "nowhere" }],
    ["default.endsWith", {}],
    ["default.jsonSchema", { schema: "{}" }],
    ["default.requiredMetadataKeys", { metadataKeys: "team" }],
    ["default.allowedRequestTypes", { allowedTypes: ["think"] }],
    ["default.jwt", { headerKey: "x-user-token" }],
    ["default.jwt", { jwksUri: "https://a.example.com/jwks", algorithms: ["HS256"] }],
    ["default.jwt", { jwksUri: "https://a.example.com/jwks", extractClaims: ["a b"] }],
    ["default.requestParametersCheck", { params: { blockedKeys: ["n"], allowedKeys: ["n"] } }],
    ["default.regexReplace", { rule: "(" }],
    ["default.requiredMetadataKeyPairs", {}],
    ["default.addPrefix", { prefix: "" }],
    ["partner_c.scanPrompt", {}],
  ])(verifies("2.6.one-set", "%s with %j is refused at save"), async (id, parameters) =>
    expectError(await withCheck(id, parameters), 400, "AB01"),
  );
  test(verifies("2.6.request-types", "take the listed request types and no others"), async () => {
    const listed =
      "complete chatComplete embed rerank moderate proxy imageGenerate createSpeech createTranscription createTranslation realtime uploadFile listFiles retrieveFile deleteFile retrieveFileContent createBatch retrieveBatch cancelBatch listBatches getBatchOutput listFinetunes createFinetune retrieveFinetune cancelFinetune createModelResponse getModelResponse deleteModelResponse listResponseInputItems messages".split(
        " ",
      );
    bodyOf(await withCheck("default.allowedRequestTypes", { allowedTypes: listed }));
    bodyOf(await withCheck("default.allowedRequestTypes", { blockedTypes: listed }));
    expectError(await withCheck("default.allowedRequestTypes", { blockedTypes: ["chat"] }), 400, "AB01");
  });
  const without = (member: string): Json => Object.fromEntries(Object.entries(ACTIONS).filter(([name]) => name !== member));
  test.each(["on_success", "on_fail"])(verifies("2.4.required", "need the member %s"), async (member) =>
    expectError(await save({ actions: without(member) }), 400, "AB01"),
  );
  test.each(["deny", "async"])("take %s as false when it is left out", async (member) => {
    const { id } = await saved({ actions: without(member) });
    expect(at(bodyOf(await api.admin("GET", `/v2/guardrails/${id}`)), "actions", member)).toBe(false);
  });
  test(verifies("2.4.defaults", "have documented defaults, and they are used where the actions are left out"), async () => {
    const { id } = bodyOf(await api.admin("POST", "/v2/guardrails", { name: "Tools", target: "mcp_tools", workspace_id: "default" }));
    expect(bodyOf(await api.admin("GET", `/v2/guardrails/${id}`))["actions"]).toEqual({ ...ACTIONS, deny: false });
    const members = JSON.stringify(at(bodyOf(await api.data("GET", "/openapi.json")), "paths", "/v2/guardrails", "post", "requestBody"));
    for (const [member, value] of [
      ["value", 5],
      ["value", -5],
      ["weight", 1],
      ["metadata", ""],
    ] as const)
      expect({ member, value, stands: members.includes(`"default":${JSON.stringify(value)}`) }).toMatchObject({ stands: true });
  });
  const RESTRICTED = [
    "authorization",
    "x-gateway-api-key",
    "x-api-key",
    "cookie",
    "metadata-flavor",
    "x-aws-ec2-metadata-token",
    "host",
    "connection",
    "transfer-encoding",
    "a header",
    "",
    "ü",
    "x\r\ny",
  ];
  test.each(RESTRICTED)(verifies("2.6.forward-headers", "may not forward %j, at create and at update"), async (name) => {
    const checks = [{ id: "default.webhook", parameters: { webhookURL: "https://hooks.example.com/x", forwardHeaders: ["x-team", name] } }];
    expectError(await save({ checks }), 400, "AB01");
    const { id } = await saved();
    expectError(await api.admin("PUT", `/v2/guardrails/${id}`, { checks }), 400, "AB01");
  });
  test(
    verifies("7.forward-headers", "may forward other headers"),
    async () =>
      void bodyOf(
        await withCheck("default.webhook", {
          webhookURL: "https://hooks.example.com/x",
          forwardHeaders: ["x-team", "x-gateway-trace-id", "traceparent"],
        }),
      ),
  );
  test.each(["default.wordCount", "default.contains", "default.regexMatch", "default.jsonSchema"])(
    verifies("2.6.forward-headers-outbound", "%s calls nobody and takes no forwardHeaders"),
    async (id) => {
      const needed: Readonly<Record<string, Json>> = {
        "default.contains": { words: ["a"] },
        "default.regexMatch": { rule: "a" },
        "default.jsonSchema": { schema: {} },
      };
      expectError(await withCheck(id, { ...needed[id], forwardHeaders: ["x-team"] }), 400, "AB01");
    },
  );
});
