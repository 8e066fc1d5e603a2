/** Who may ask, and with what a provider is asked. */
import { describe, expect, test } from "bun:test";
import { type KeyType, type Manifest, SCOPE_TABLE, scopesOf } from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { jsonAnswer, type Received } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, chatWith, expectError, forAll, itemsOf, type Json, logOf, newKey, OPENAI_KEY, SANDBOX } from "./endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, startGateway } from "./process.ts";

const api = forAll();
type Headers = Readonly<Record<string, string>>;
const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const BODY: Json = { model: "m", messages: [{ role: "user", content: "x" }] };
const url = (path = "/v1/chat/completions"): string => api.gateway.base + path;

/** Asks, and gives what the provider saw. */
async function provided(
  headers: Headers,
  { body = BODY, answer = COMPLETION, key = GATEWAY_KEY }: { body?: Json; answer?: Json; key?: string | null } = {},
): Promise<Received> {
  api.upstream.answer(jsonAnswer(answer));
  const before = api.upstream.received.length;
  bodyOf(await ask(url(), "POST", key, body, headers));
  const seen = api.upstream.received[before];
  if (!seen) throw new Error("the provider was not asked");
  return seen;
}
/** Every credential the provider was sent. */
const credentials = ({ headers }: Received): Json =>
  Object.fromEntries([...headers.entries()].filter(([name]) => /auth|key|token|cookie/i.test(name) && name !== "x-gateway-hop"));

describe("the gateway key", () => {
  test(
    verifies("5.api-key", "is read from x-gateway-api-key"),
    async () => void bodyOf(await ask(url(), "POST", GATEWAY_KEY, BODY, SANDBOX)),
  );
  test(verifies("5.bearer", "is read from Authorization: Bearer, on all three planes"), async () => {
    const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
    bodyOf(await ask(url(), "POST", null, BODY, { ...SANDBOX, ...bearer(GATEWAY_KEY) }));
    bodyOf(await ask(url(), "POST", null, BODY, { ...SANDBOX, authorization: `bearer   ${GATEWAY_KEY} ` }));
    bodyOf(await ask(url("/v2/configs"), "GET", null, undefined, bearer(ADMIN_KEY)));
    bodyOf(await ask(url("/admin/v2/integrations"), "GET", null, undefined, bearer(ADMIN_KEY)));
  });
  test("of x-gateway-api-key wins over the bearer token, which is then the provider's", async () => {
    expect(credentials(await provided({ ...api.replayed, authorization: `Bearer ${OPENAI_KEY}` }))).toEqual({
      authorization: `Bearer ${OPENAI_KEY}`,
    });
    expect((await ask(url(), "POST", "nobody", BODY, { ...SANDBOX, authorization: `Bearer ${GATEWAY_KEY}` })).status).toBe(401);
  });
  test("as a bearer token never reaches the provider", async () => {
    const { authorization: _, ...rest } = { ...api.replayed };
    expect(credentials(await provided({ ...rest, authorization: `Bearer ${GATEWAY_KEY}` }, { key: null }))).toEqual({});
  });
  test.each(["Basic abc", "Bearer", "Bearer ", `Token ${GATEWAY_KEY}`, GATEWAY_KEY])(
    "is not read from authorization: %s",
    async (authorization) => {
      expect((await ask(url(), "POST", null, BODY, { ...SANDBOX, authorization })).status).toBe(401);
    },
  );
  test("is not read from query or cookie", async () => {
    expect(
      (
        await ask(url(`/v1/models?api_key=${GATEWAY_KEY}&x-gateway-api-key=${GATEWAY_KEY}`), "GET", null, undefined, {
          ...SANDBOX,
          cookie: `x-gateway-api-key=${GATEWAY_KEY}`,
        })
      ).status,
    ).toBe(401);
  });
  test(verifies("5.env-key", "is what GATEWAY_API_KEY says"), async () => {
    const key = "e2eOtherKey9876543210ZYXWVUTSRQPONMLK";
    const gateway = await startGateway({ env: { GATEWAY_API_KEY: key } });
    expect((await chat({ base: gateway.base, gatewayKey: key }, {})).status).toBe(200);
    expect((await chat({ base: gateway.base, gatewayKey: GATEWAY_KEY }, {})).status).toBe(401);
    await gateway.stop();
    gateway.remove();
  }, 20_000);
});

describe("the provider's key", () => {
  test(verifies("5.way-provider", "way 1: the bearer token takes the provider's own header form"), async () => {
    const via = (provider: string): Headers => ({
      "x-gateway-provider": provider,
      "x-gateway-custom-host": api.upstream.url,
      authorization: "Bearer pk-1",
    });
    expect(credentials(await provided(via("openai")))).toEqual({ authorization: "Bearer pk-1" });
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "ok" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    expect(credentials(await provided(via("anthropic"), { answer: message }))).toEqual({ "x-api-key": "pk-1" });
    const gemini = { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }] };
    const seen = await provided(via("google"), { answer: gemini });
    expect(credentials(seen)).toEqual({ "x-goog-api-key": "pk-1" });
    expect(seen.path).not.toContain("pk-1");
  });

  const save = async (more: Json = {}): Promise<string> => {
    const slug = `saved-${crypto.randomUUID().slice(0, 8)}`;
    bodyOf(
      await api.admin("POST", "/admin/v2/integrations", {
        name: slug,
        slug,
        ai_provider_id: "openai",
        key: "pk-saved-0123456789",
        workspace_id: "default",
        configurations: { custom_host: `${api.upstream.url}/v1` },
        ...more,
      }),
    );
    return slug;
  };
  test(verifies("5.way-saved", "way 2: @slug uses the provider saved under it, with its key"), async () => {
    const slug = await save();
    expect(credentials(await provided({ "x-gateway-provider": `@${slug}` }))).toEqual({ authorization: "Bearer pk-saved-0123456789" });
    expect(credentials(await provided({ "x-gateway-provider": `@${slug}`, authorization: "Bearer pk-of-the-request" }))).toEqual({
      authorization: "Bearer pk-saved-0123456789",
    });
    const seen = await provided({}, { body: { ...BODY, model: `@${slug}/gpt-x` } });
    expect({ ...credentials(seen), body: seen.json() }).toMatchObject({
      authorization: "Bearer pk-saved-0123456789",
      body: { model: "gpt-x" },
    });
  });
  test(verifies("5.virtual-key", "x-gateway-virtual-key does the same"), async () => {
    const slug = await save();
    for (const written of [slug, `@${slug}`])
      expect(credentials(await provided({ "x-gateway-virtual-key": written }))).toEqual({ authorization: "Bearer pk-saved-0123456789" });
    expect((await ask(url(), "POST", GATEWAY_KEY, BODY, { "x-gateway-virtual-key": "nobody" })).status).toBe(400);
  });
  test(verifies("9.virtual-key", "a config may still say virtual_key"), async () => {
    const slug = await save();
    expect(credentials(await provided({ "x-gateway-config": JSON.stringify({ virtual_key: slug }) }))).toEqual({
      authorization: "Bearer pk-saved-0123456789",
    });
  });
  test("way 3: a config carries it", async () => {
    const config = { provider: "openai", api_key: "pk-config", custom_host: `${api.upstream.url}/v1` };
    expect(credentials(await provided({ "x-gateway-config": JSON.stringify(config) }))).toEqual({ authorization: "Bearer pk-config" });
    const slug = String(at(bodyOf(await api.admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config })), "data", "slug"));
    expect(credentials(await provided({ "x-gateway-config": slug }))).toEqual({ authorization: "Bearer pk-config" });
  });
  test(verifies("5.way-custom-host", "way 4: a custom host is called instead of the provider's own, with the token"), async () => {
    const seen = await provided({
      "x-gateway-provider": "openai",
      "x-gateway-custom-host": `${api.upstream.url}/my/v9/`,
      authorization: "Bearer pk-2",
    });
    expect([seen.path, credentials(seen)]).toEqual(["/my/v9/chat/completions", { authorization: "Bearer pk-2" }]);
  });
  test("a saved key is never sent to a host the request names", async () => {
    const before = api.upstream.received.length;
    const slug = await save({ configurations: {} });
    for (const headers of [{ "x-gateway-provider": `@${slug}` }, { "x-gateway-config": JSON.stringify({ provider: `@${slug}` }) }]) {
      const answer = await ask(url(), "POST", GATEWAY_KEY, BODY, { ...headers, "x-gateway-custom-host": `${api.upstream.url}/v1` });
      expect(answer.status).toBe(400);
    }
    expect(api.upstream.received.length).toBe(before);
  });
  test("one target's key never reaches the next", async () => {
    const target = (api_key: string, path: string): Json => ({ provider: "openai", api_key, custom_host: `${api.upstream.url}/${path}` });
    const seen: Received[] = [];
    api.upstream.answer((request) => jsonAnswer(COMPLETION, { status: seen.push(request) === 1 ? 500 : 200 }));
    bodyOf(
      await ask(url(), "POST", GATEWAY_KEY, BODY, {
        "x-gateway-config": JSON.stringify({ strategy: { mode: "fallback" }, targets: [target("pk-a", "a"), { ...target("pk-b", "b") }] }),
      }),
    );
    expect(seen.map((request) => [request.path, credentials(request)])).toEqual([
      ["/a/chat/completions", { authorization: "Bearer pk-a" }],
      ["/b/chat/completions", { authorization: "Bearer pk-b" }],
    ]);
  });
});

describe("defaults of a key", () => {
  const configOf = async (text: string): Promise<string> =>
    String(
      at(
        bodyOf(
          await api.admin("POST", "/v2/configs", {
            name: text,
            workspace_id: "default",
            config: { provider: "sandbox", override_params: { sandbox: { text } } },
          }),
        ),
        "data",
        "slug",
      ),
    );
  const spoken = (answer: Answer): unknown => at(bodyOf(answer), "choices", 0, "message", "content");

  test(verifies("E3.defaults-metadata", "metadata stands in the log of each of its requests"), async () => {
    const key = await newKey(api, { defaults: { metadata: { team: "red" } } });
    const answer = await chatWith(api, key);
    expect(await logOf(api, String(answer.headers.get("x-gateway-trace-id")))).toMatchObject({
      metrics: { "metadata.key": ["team"], "metadata.value": ["red"] },
    });
  });
  test(verifies("E3.defaults-config", "config_id is the config of each of its requests, unless the request brings one"), async () => {
    const key = await newKey(api, { defaults: { config_id: await configOf("from the key") } });
    expect(spoken(await chatWith(api, key, {}, {}))).toBe("from the key");
    expect(spoken(await chatWith(api, key, {}, { "x-gateway-config": await configOf("from the request") }))).toBe("from the request");
  });
  test(verifies("E3.defaults-override", "allow_config_override false refuses any other config"), async () => {
    const pinned = await configOf("pinned");
    const key = await newKey(api, { defaults: { config_id: pinned, allow_config_override: false } });
    expect(spoken(await chatWith(api, key, {}, {}))).toBe("pinned");
    for (const config of [await configOf("other"), '{"provider":"sandbox"}', ' {"provider":"sandbox"}'])
      expect((await chatWith(api, key, {}, { "x-gateway-config": config })).status).toBe(400);
    expect(spoken(await chatWith(api, key, {}, { "x-gateway-config": pinned }))).toBe("pinned");
  });
  test.each<Headers>([
    { "x-gateway-provider": "openai", "x-gateway-custom-host": "https://example.com" },
    { "x-gateway-virtual-key": "nobody" },
    { "x-gateway-provider": "@nobody" },
  ])("a pinned config that names its provider is not left by %j", async (headers) => {
    const key = await newKey(api, { defaults: { config_id: await configOf("pinned"), allow_config_override: false } });
    expect(spoken(await chatWith(api, key, {}, headers))).toBe("pinned");
  });
});

/* ── every route, generated from its documentation, so that a new one cannot be forgotten ──────────────────────── */

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
  /** Nobody need be known there. */
  readonly isPublic: boolean;
}
/** Beside the planes; who may see them is told in readiness.test.ts. */
const PROBES: readonly string[] = ["/", "/v1/health", "/healthz", "/metrics", "/readyz", "/status"];
const documented = async (): Promise<readonly Operation[]> =>
  (await everyRoute()).filter(({ path, isPublic }) => !PROBES.includes(path) && !(isPublic && PUBLIC.includes(path)));
/** Open to whoever has the link of an invite; list prices. */
const PUBLIC: readonly string[] = ["/v2/admin/users/invites/accept", "/v2/model-configs/pricing/nobody/nobody"];
const everyRoute = async (): Promise<readonly Operation[]> =>
  Object.entries(bodyOf(await api.data("GET", "/openapi.json"))["paths"] as Record<string, Record<string, Json>>).flatMap(
    (
      [path, methods], // what OpenAPI calls paths
    ) =>
      Object.entries(methods).map(([method, is]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]+\}/g, "nobody"),
        scopes: (is["x-scopes"] ?? []) as readonly string[],
        isPublic: Array.isArray(is["security"]) && is["security"].length === 0,
      })),
  );
const FORM = { "content-type": "multipart/form-data; boundary=x" };
const asked = ({ method, path }: Operation, key: string | null): Promise<Answer> =>
  ask(
    url(path),
    method,
    key,
    method === "POST" || method === "PUT" ? {} : undefined,
    path.endsWith("/edits") ? { ...SANDBOX, ...FORM } : SANDBOX,
  );
/** A scope no route asks for, of each kind of key. */
const IDLE: Readonly<Record<KeyType, string>> = {
  "organisation-service": "deployments.list",
  "workspace-service": "prompts.render",
  "workspace-user": "prompts.render",
};
/** Those of the specification, and what plugins of this build bring. */
const scopesHere = (kind: KeyType): readonly string[] =>
  scopesOf(kind, [...SCOPE_TABLE, ...registry.flatMap(({ manifest }) => (manifest as Pick<Manifest, "scopes">).scopes ?? [])]);
const kindFor = (scopes: readonly string[]): KeyType =>
  scopes.some((scope) => scopesHere("workspace-service").includes(scope)) ? "workspace-service" : "organisation-service";
const keyWith = async (kind: KeyType, scopes: readonly string[]): Promise<string> => {
  const mayHold = scopes.filter((scope) => scopesHere(kind).includes(scope));
  return String(
    bodyOf(
      await api.admin("POST", "/v2/api-keys/service", {
        name: "matrix",
        scopes: mayHold,
        ...(kind !== "organisation-service" && { workspace_id: "default" }),
      }),
    )["key"],
  );
};
const lacksScope = (answer: Answer): boolean => answer.status === 403 && answer.text.includes("lacks the scope");

describe("every documented route", () => {
  test("asks for a scope that exists", async () => {
    const known = new Set([...scopesHere("organisation-service"), ...scopesHere("workspace-service")]);
    const operations = await documented();
    expect(operations.length).toBeGreaterThan(40);
    expect(operations.filter(({ scopes }) => scopes.length === 0 || !scopes.every((scope) => known.has(scope)))).toEqual([]);
  });
  test("refuses who sends no key or an unknown one", async () => {
    for (const operation of await documented())
      for (const key of [null, "nobodysKey0123456789"]) {
        const answer = await asked(operation, key);
        if (operation.path.startsWith("/v2/virtual-keys")) {
          expect(answer.status).toBe(401);
          expect(answer.json).toMatchObject({ success: false, data: { message: expect.any(String) } }); // as documented
          continue;
        }
        const type = at(answer.json, "error", "type") ?? at(answer.json, "error", "details", 0, "metadata", "type"); // Google's form has no place for it
        expect({ ...operation, key, status: answer.status, type }).toMatchObject({
          status: 401,
          type: "authentication_error",
        });
      }
  });
  test(verifies("5.scopes-enforced", "refuses a key without its scope, and says which it lacks"), async () => {
    const idle = {
      "organisation-service": await keyWith("organisation-service", [IDLE["organisation-service"]]),
      "workspace-service": await keyWith("workspace-service", [IDLE["workspace-service"]]),
    };
    for (const operation of await documented())
      for (const [kind, key] of Object.entries(idle)) {
        const answer = await asked(operation, key);
        expect({
          ...operation,
          kind,
          refused: lacksScope(answer),
          says: operation.scopes.some((scope) => answer.text.includes(scope)),
        }).toMatchObject({ refused: true, says: true });
      }
  }, 20_000);
  test("lets a key with its scope in, and no further than its scope", async () => {
    for (const operation of await documented()) {
      const answer = await asked(operation, await keyWith(kindFor(operation.scopes), operation.scopes));
      expect({ ...operation, status: answer.status, lacks: lacksScope(answer), text: answer.text.slice(0, 200) }).toMatchObject({
        lacks: false,
      });
      expect([401, 500]).not.toContain(answer.status);
    }
  }, 20_000);
  test(
    verifies("9.prefixes", "is below /v1 (or where a vendor's client asks), /v2 or /admin/v2, and not below another's prefix"),
    async () => {
      const paths = (await everyRoute()).map(({ path }) => path);
      expect(paths.filter((path) => !/^\/(v1|v1beta|v2|admin\/v2)\//.test(path)).sort()).toEqual(
        PROBES.filter((path) => path !== "/v1/health"),
      );
      expectError(await api.admin("GET", "/v2/integrations"), 404, "AB08");
      expect((await api.data("POST", "/v2/chat/completions", SANDBOX, BODY)).status).toBe(404);
    },
  );
});

const isData = (path: string): boolean => /^\/v1(beta)?\//.test(path);
describe("the first keys", () => {
  test("the gateway key calls every data-plane operation, and nothing of the control and admin planes", async () => {
    const operations = await documented();
    const open = await Promise.all(
      operations.map(async (operation) => ({ ...operation, open: !lacksScope(await asked(operation, GATEWAY_KEY)) })),
    );
    expect(open.filter(({ path, open }) => open !== isData(path)).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(open.length).toBeGreaterThan(40);
  }, 20_000);
  test("the gateway key reads back what it sent itself, and nobody else's prompts", async () => {
    const own = String((await chatWith(api, GATEWAY_KEY)).headers.get("x-gateway-trace-id"));
    const other = String((await chatWith(api, await newKey(api, {}))).headers.get("x-gateway-trace-id"));
    await Promise.all([own, other].map((id) => logOf(api, id, "", ADMIN_KEY)));
    const read = async (id: string): Promise<number> => (await ask(url(`/v1/logs/${id}`), "GET", GATEWAY_KEY)).status;
    expect([await read(own), await read(other)]).toEqual([200, 404]);
  });
  test("the admin key calls the whole control and admin planes", async () => {
    const closed: string[] = [];
    for (const operation of await documented())
      if (!isData(operation.path) && lacksScope(await asked(operation, ADMIN_KEY))) closed.push(operation.path);
    expect(closed).toEqual([]);
  }, 20_000);
});

describe("errors of the control plane", () => {
  test(verifies("7.body", "have error with type, message, param and code, whatever went wrong"), async () => {
    expectError(await api.admin("GET", "/v2/guardrails", undefined, "nobody"), 401, "AB05");
    expectError(await api.admin("GET", "/v2/guardrails", undefined, await newKey(api, {})), 403, "AB03");
    expectError(await api.admin("GET", "/v2/nothing"), 404, "AB08");
    expectError(await api.admin("POST", "/v2/guardrails", { name: 5 }), 400, "AB01");
    expectError(await ask(url("/v2/guardrails"), "POST", ADMIN_KEY, undefined, { "content-type": "application/json" }), 400, "AB01");
    const broken = await fetch(url("/v2/guardrails"), {
      method: "POST",
      headers: { "x-gateway-api-key": ADMIN_KEY, "content-type": "application/json" },
      body: "{",
    });
    expect({ status: broken.status, body: await broken.json() }).toMatchObject({
      status: 400,
      body: { error: { code: "AB01", param: null } },
    });
    expect(itemsOf(await api.admin("GET", "/v2/guardrails"))).toBeArray();
  });
});
