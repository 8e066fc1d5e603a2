/** The common request headers, one by one. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { ask, chat, until } from "../process.ts";
import { at, bodyOf, chatWith, forAll, itemsOf, type Json, logOf, newKey, SANDBOX, UUID } from "./api.ts";
import { plantTenant } from "./tenant.ts";

const api = forAll({ GATEWAY_HEADER_ALIASES: "x-acme-,x-other-" });
const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};

/** The log of the request that carried this trace id. */
async function logOfTrace(trace: string, key?: string): Promise<Json> {
  const id = await until("the request is logged", () => {
    const logs = new Database(join(api.gateway.dataDir, "logs.db"), { readonly: true });
    try {
      return (logs.query("select id from logs where trace_id = ?").get(trace) as { id: string } | null)?.id; // the one column asked for
    } finally {
      logs.close();
    }
  });
  return logOf(api, id, "", key);
}
const metadataOf = ({ metrics }: Json): Json => {
  const [keys, values] = [at(metrics, "metadata.key"), at(metrics, "metadata.value")] as [readonly string[], readonly string[]]; // two lists of one length
  return Object.fromEntries(keys.map((key, i) => [key, values[i]]));
};
/** Asks with metadata and says what stands in the log. */
async function loggedMetadata(
  sent: string,
  { key = api.gateway.gatewayKey, body = {} }: { key?: string; body?: Json } = {},
): Promise<Json> {
  const trace = crypto.randomUUID();
  bodyOf(await chatWith(api, key, body, { ...SANDBOX, "x-gateway-trace-id": trace, "x-gateway-metadata": sent }));
  return metadataOf(await logOfTrace(trace, key));
}

describe("x-gateway-trace-id", () => {
  test(verifies("4.trace-id", "is sent back, on errors too, and groups requests in the log"), async () => {
    const trace = "order 4711/b";
    const answers = [
      await chat(api.gateway, {}, { "x-gateway-trace-id": trace }),
      await chat(api.gateway, { messages: 5 }, { "x-gateway-trace-id": trace }),
      await ask(`${api.gateway.base}/v1/chat/completions`, "POST", "nobody", {}, { "x-gateway-trace-id": trace }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get("x-gateway-trace-id")])).toEqual([
      [200, trace],
      [400, trace],
      [401, trace],
    ]);
    expect(at(await logOfTrace(trace), "metrics", "trace_id")).toBe(trace);
  });
  test(verifies("4.trace-id-made", "is made up when absent, another for every request"), async () => {
    const [one, two] = [await chat(api.gateway, {}), await chat(api.gateway, {})].map(({ headers }) => headers.get("x-gateway-trace-id"));
    expect<unknown>(one).toEqual(UUID);
    expect(two).not.toBe(one);
  });
  test(verifies("1.trace-ids", "with the spans of a trace stands in the log"), async () => {
    const trace = crypto.randomUUID();
    await chat(
      api.gateway,
      {},
      { "x-gateway-trace-id": trace, "x-gateway-span-id": "s2", "x-gateway-parent-span-id": "s1", "x-gateway-span-name": "answer" },
    );
    expect((await logOfTrace(trace))["metrics"]).toMatchObject({
      trace_id: trace,
      span_id: "s2",
      parent_span_id: "s1",
      span_name: "answer",
    });
  });
});

describe("x-gateway-metadata", () => {
  test(verifies("4.metadata", "stands in the log"), async () =>
    expect(await loggedMetadata('{"team":"red","env":"prod"}')).toEqual({ team: "red", env: "prod" }),
  );
  test(verifies("4.metadata-special", "takes _user, _prompt, _organisation and _environment"), async () => {
    const special = { _user: "u1", _prompt: "p1", _organisation: "o1", _environment: "e1" };
    expect(await loggedMetadata(JSON.stringify(special))).toEqual(special);
  });
  test(verifies("1.metadata", "keeps strings of at most 128 characters and drops the rest"), async () => {
    expect(await loggedMetadata(JSON.stringify({ a: "x".repeat(128), b: "x".repeat(129), c: 5, d: null, e: { f: "g" }, h: "" }))).toEqual({
      a: "x".repeat(128),
      h: "",
    });
  });
  test("the body's user is _user, unless the metadata says one", async () => {
    expect(await loggedMetadata("{}", { body: { user: "body-user" } })).toEqual({ _user: "body-user" });
    expect(await loggedMetadata('{"_user":"header-user"}', { body: { user: "body-user" } })).toEqual({ _user: "header-user" });
  });
  test(verifies("D2.metadata-order", "the workspace's wins over the key's, the key's over the request's"), async () => {
    const { organisation_id } = itemsOf(await api.admin("GET", "/v2/api-keys"))[0] ?? {};
    const { adminKey } = await plantTenant({
      dataDir: api.gateway.dataDir,
      organisationId: String(organisation_id),
      slug: "tagged",
      defaults: { metadata: { a: "workspace" } },
    });
    const made = bodyOf(
      await api.admin(
        "POST",
        "/v2/api-keys/service",
        { name: "k", workspace_id: "tagged", scopes: ["completions.write", "logs.view"], defaults: { metadata: { a: "key", b: "key" } } },
        adminKey,
      ),
    );
    expect(await loggedMetadata('{"a":"request","b":"request","c":"request"}', { key: String(made["key"]) })).toEqual({
      a: "workspace",
      b: "key",
      c: "request",
    });
  });
  test.each(["{", "text", "[1]", "5"])("that is no JSON object is refused: %s", async (sent) =>
    expect((await chat(api.gateway, {}, { "x-gateway-metadata": sent })).status).toBe(400),
  );
  test.each([
    [
      "very many names",
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, ""]))),
      "holds more than 5000",
    ],
    ["very many levels", `{"a":${"[".repeat(150_000)}${"]".repeat(150_000)}}`, "nests deeper than 128 levels"],
  ])("of %s is refused with a sentence, before it is parsed", async (_, sent, why) =>
    expect(bodyOf(await chat(api.gateway, {}, { "x-gateway-metadata": sent }), 400)).toMatchObject({
      error: { message: expect.stringContaining(`The header x-gateway-metadata is not valid: it ${why}`), param: "x-gateway-metadata" },
    }),
  );
});

describe("x-gateway-request-timeout", () => {
  test(verifies("4.timeout", "ends the request with 408, names the milliseconds, and cuts the provider off"), async () => {
    api.upstream.answer({ body: "{", ends: "hang", headers: { "content-type": "application/json" } });
    const answer = await chat(api.gateway, {}, { ...api.replayed, "x-gateway-request-timeout": "60" });
    expect(bodyOf(answer, 408)).toMatchObject({
      error: { message: "The request exceeded the timeout of 60 ms.", type: "timeout_error", param: null, code: null },
    });
    expect(await api.upstream.received.at(-1)?.cut).toBeNumber();
  });
  test(verifies("1.timeouts", "ends a stream that does not begin, too"), async () => {
    const answer = await chat(api.gateway, { stream: true, sandbox: { latency_ms: 5_000 } }, { "x-gateway-request-timeout": "60" });
    expect({ status: answer.status, says: answer.text.includes("60 ms") }).toEqual({ status: 408, says: true });
  });
  test(verifies("8.timeout", "holds for every data-plane request"), async () => {
    api.upstream.answer({ body: "{", ends: "hang", headers: { "content-type": "application/json" } });
    for (const [method, path] of [
      ["GET", "/v1/assistants"],
      ["GET", "/v1/batches/batch_1"],
      ["DELETE", "/v1/responses/resp_1"],
      ["GET", "/v1/models"],
      ["GET", "/v1/vector_stores/vs_1/files"],
    ] as const) {
      const answer = await api.data(method, path, { ...api.replayed, "x-gateway-request-timeout": "40" });
      expect({ path, status: answer.status, says: answer.text.includes("40 ms") }).toEqual({ path, status: 408, says: true });
    }
  });
});

describe("x-gateway-fetch-integrated-models", () => {
  const models = async (headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
    itemsOf(await api.data("GET", "/v1/models", headers)).map(({ id }) => id);
  const save = async (): Promise<string> => {
    const slug = `cat-${crypto.randomUUID().slice(0, 8)}`;
    bodyOf(
      await api.admin("POST", "/admin/v2/integrations", { name: "Sandbox", slug, ai_provider_id: "sandbox", workspace_id: "default" }),
    );
    return slug;
  };
  test(verifies("4.integrated-models", "true gives the integrated catalogue even with a provider or a config"), async () => {
    const slug = await save();
    const wanted = `@${slug}/sandbox-echo`;
    for (const headers of [{}, SANDBOX, { "x-gateway-config": '{"provider":"sandbox"}' }, { "x-gateway-provider": `@${slug}` }])
      expect(await models({ ...headers, "x-gateway-fetch-integrated-models": "true" })).toContain(wanted);
    expect(await models({})).toContain(wanted);
    expect(await models({ "x-gateway-config": '{"provider":"sandbox","fetch_integrated_models":true}' })).toContain(wanted);
  });
  test(verifies("4.models-proxy", "without it any provider signal gives the provider's own list"), async () => {
    const slug = await save();
    api.upstream.answer(jsonAnswer({ object: "list", data: [{ id: "from-upstream", object: "model", created: 1, owned_by: "x" }] }));
    expect(await models(api.replayed)).toEqual(["from-upstream"]);
    expect(await models({ ...api.replayed, "x-gateway-fetch-integrated-models": "false" })).toEqual(["from-upstream"]);
    for (const headers of [
      SANDBOX,
      { "x-gateway-provider": `@${slug}` },
      { "x-gateway-virtual-key": slug },
      { "x-gateway-config": '{"provider":"sandbox"}' },
    ])
      expect(await models(headers)).toContain("sandbox-echo");
  });
  test(verifies("4.models-endpoint", "x-gateway-models-endpoint gives the integrated catalogue too"), async () => {
    const slug = await save();
    expect(await models({ ...SANDBOX, "x-gateway-models-endpoint": "integrated" })).toContain(`@${slug}/sandbox-echo`);
  });
  test(verifies("1.tag-models", "the catalogue can be asked for one provider, and its ids can be sent as model"), async () => {
    const slug = await save();
    const ids = await models({ "x-gateway-fetch-integrated-models": "true" });
    expect(
      itemsOf(await api.data("GET", `/v1/models?provider=${slug}&limit=2`)).map(({ id }) => String(id).startsWith(`@${slug}/`)),
    ).toEqual([true, true]);
    expect(ids).toContain(`@${slug}/sandbox-text`);
    const answer = await ask(`${api.gateway.base}/v1/chat/completions`, "POST", api.gateway.gatewayKey, {
      model: `@${slug}/sandbox-text`,
      messages: [{ role: "user", content: "x" }],
    });
    expect(bodyOf(answer)["model"]).toBe("sandbox-text");
  });
});

describe("x-gateway-forward-headers", () => {
  const sent = async (headers: Readonly<Record<string, string>>): Promise<Headers> => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    bodyOf(await chat(api.gateway, {}, { ...api.replayed, ...headers }));
    return api.upstream.received.at(-1)?.headers ?? new Headers();
  };
  test(verifies("4.forward-headers", "passes the named headers on unchanged, by their original names, and no others"), async () => {
    const headers = await sent({
      "x-gateway-forward-headers": "X-Team, x-request-source",
      "x-team": 'Red, Blue=1; q="a"',
      "x-request-source": "tests",
      "x-secret-note": "no",
    });
    expect([headers.get("x-team"), headers.get("x-request-source"), headers.get("x-secret-note")]).toEqual([
      'Red, Blue=1; q="a"',
      "tests",
      null,
    ]);
  });
  test(verifies("D2.forward-list", "may be a JSON list, and names that were not sent are no matter"), async () => {
    const headers = await sent({ "x-gateway-forward-headers": '["x-team","x-absent"]', "x-team": "red" });
    expect([headers.get("x-team"), headers.get("x-absent")]).toEqual(["red", null]);
  });
  test(verifies("5.custom-headers", "headers of one's own are taken, and without it none reaches the provider"), async () => {
    const headers = await sent({ "x-team": "red", cookie: "a=b", "x-forwarded-for": "1.2.3.4", "x-acme-internal": "1" });
    for (const name of [
      "x-team",
      "cookie",
      "x-forwarded-for",
      "x-acme-internal",
      "x-gateway-api-key",
      "x-gateway-provider",
      "x-gateway-custom-host",
    ])
      expect({ name, value: headers.get(name) }).toEqual({ name, value: null });
  });
  test.each([
    "x-gateway-api-key",
    "x-gateway-config",
    "X-Acme-Api-Key",
    "cookie",
    "host",
    "metadata-flavor",
    "x-aws-ec2-metadata-token",
    "content-length",
    "transfer-encoding",
  ])("never passes %s on", async (name) => {
    const answer = await chat(api.gateway, {}, { ...api.replayed, "x-gateway-forward-headers": name });
    expect({ status: answer.status, says: answer.text.includes("never forwarded") }).toEqual({ status: 400, says: true });
  });
  test(verifies("D2.own-key-stays", "the gateway key as bearer token is never passed on as authorization"), async () => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    const { authorization: _, ...rest } = api.replayed as Record<string, string>; // replaced below
    await ask(
      `${api.gateway.base}/v1/chat/completions`,
      "POST",
      null,
      { model: "m", messages: [{ role: "user", content: "x" }] },
      { ...rest, authorization: `Bearer ${api.gateway.gatewayKey}`, "x-gateway-forward-headers": "authorization" },
    );
    expect([...(api.upstream.received.at(-1)?.headers.values() ?? [])].filter((value) => value.includes(api.gateway.gatewayKey))).toEqual(
      [],
    );
  });
});

describe("x-gateway-sensitive-headers", () => {
  const HASH = /^[0-9a-f]{64}$/;
  const headersLogged = async (headers: Readonly<Record<string, string>>): Promise<Json> => {
    const trace = crypto.randomUUID();
    bodyOf(await chat(api.gateway, {}, { ...SANDBOX, "x-gateway-trace-id": trace, ...headers }));
    return at(await logOfTrace(trace), "request", "headers") as Json; // an object, as its own test says
  };
  test(verifies("4.sensitive-headers", "hashes the named headers in the log, whatever their case, and no others"), async () => {
    const logged = await headersLogged({
      "x-gateway-sensitive-headers": "X-Patient, x-CASE",
      "x-patient": "Jane Doe",
      "X-Case": "12345",
      "x-open": "seen",
    });
    expect(logged).toMatchObject({ "x-patient": expect.stringMatching(HASH), "x-case": expect.stringMatching(HASH), "x-open": "seen" });
    expect(logged["x-patient"]).not.toBe(logged["x-case"]);
    expect(await headersLogged({ "x-gateway-sensitive-headers": "x-patient", "x-patient": "Jane Doe" })).toMatchObject({
      "x-patient": logged["x-patient"],
    });
  });
  test(verifies("4.sensitive-not-forwarded", "forwards nothing"), async () => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    bodyOf(await chat(api.gateway, {}, { ...api.replayed, "x-gateway-sensitive-headers": "x-patient", "x-patient": "Jane Doe" }));
    const seen: [string, string][] = [...(api.upstream.received.at(-1)?.headers ?? new Headers()).entries()];
    expect(seen.filter(([name, value]) => name === "x-patient" || value.includes("Jane"))).toEqual([]);
  });
  test("what is both forwarded and sensitive reaches the provider and is hashed in the log", async () => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    const logged = await headersLogged({
      ...api.replayed,
      "x-gateway-sensitive-headers": "x-patient",
      "x-gateway-forward-headers": "x-patient",
      "x-patient": "Jane Doe",
    });
    expect(api.upstream.received.at(-1)?.headers.get("x-patient")).toBe("Jane Doe");
    expect(logged["x-patient"]).toMatch(HASH);
  });
});

describe("prefixes of GATEWAY_HEADER_ALIASES", () => {
  test("are read like x-gateway-, and do not reach the provider", async () => {
    api.upstream.answer(jsonAnswer(COMPLETION));
    const response = await fetch(`${api.gateway.base}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] }),
      headers: {
        "content-type": "application/json",
        "x-acme-api-key": api.gateway.gatewayKey,
        "X-Other-Provider": "openai",
        "x-acme-custom-host": `${api.upstream.url}/v1`,
        "x-other-trace-id": "t-alias",
        authorization: "Bearer k",
      },
    });
    expect({ status: response.status, trace: response.headers.get("x-gateway-trace-id") }).toEqual({ status: 200, trace: "t-alias" });
    expect([...(api.upstream.received.at(-1)?.headers.keys() ?? [])].filter((name) => /^x-(acme|other)-/.test(name))).toEqual([]);
  });
  test("are on every answer too: whole, streamed, refused and final, so that a client of another prefix asks no second time", async () => {
    const failing = { "x-gateway-config": JSON.stringify({ provider: "openai", retry: { attempts: 1, on_status_codes: [500] } }) };
    api.upstream.answer(jsonAnswer({ error: { message: "no" } }, { status: 500 }));
    const answers = [
      await chat(api.gateway, {}, SANDBOX),
      await chat(api.gateway, { stream: true }, SANDBOX),
      await chat(api.gateway, { messages: [] }, SANDBOX),
      await chat(api.gateway, {}, { ...api.replayed, ...failing }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 500]);
    for (const { headers } of answers) {
      const own = [...headers].flatMap(([name, value]) =>
        name.startsWith("x-gateway-") ? [[name.slice("x-gateway-".length), value]] : [],
      );
      expect(own).not.toBeEmpty();
      for (const [name, value] of own)
        for (const alias of ["x-acme-", "x-other-"]) expect([name, headers.get(`${alias}${name}`)]).toEqual([name, value]);
    }
    expect(answers.at(-1)?.headers.get("x-acme-retry-attempt-count")).toBe("-1");
  });
  test("other prefixes are not read", async () => {
    const response = await fetch(`${api.gateway.base}/v1/models`, { headers: { "x-nobody-api-key": await newKey(api, {}) } });
    expect(response.status).toBe(401);
  });
});
