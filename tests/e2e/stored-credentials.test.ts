/**
 * Whoever may use a stored credential can neither take it elsewhere nor have it stand for somebody else: what each cloud's
 * bound fields do beside a saved provider and a saved config, by every way a request can name and add to them; what a
 * request may still say; which vendor it may choose; what a provider's error repeats; and what may be edited beside a
 * credential by those who know only its mask.
 */
import { beforeEach, describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { AzureTarget } from "../../providers/azure-openai/target.ts";
import { target as bedrockTarget } from "../../providers/bedrock/target.ts";
import { target as vertexTarget } from "../../providers/vertex-ai/target.ts";
import { jsonAnswer, type Received, type Replay } from "../kit/replay.ts";
import { exception } from "../providers/bedrock-eventstream.ts";
import { claimOf } from "../providers/bedrock-signature.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, chatWith, forAll, type Json, logOf, newKey } from "./endpoints/api.ts";
import { type Answer, GATEWAY_KEY } from "./process.ts";

const api = forAll();
type Headers = Readonly<Record<string, string>>;

/* ── the three clouds, as far as these tests listen ──────────────────────────────────────────────────────────── */

const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const CONVERSED: Json = {
  output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};
const GENERATED: Json = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};
const clouds = ({ path }: Received): Replay => {
  if (path.startsWith("/model/")) return jsonAnswer(CONVERSED);
  return jsonAnswer(path.includes(":generateContent") ? GENERATED : COMPLETION);
};
beforeEach(() => api.upstream.answer(clouds));

/* ── storing, and asking ─────────────────────────────────────────────────────────────────────────────────────── */

/** A credential as it is stored, and what a caller adds to a request that uses it. */
interface Stored {
  readonly provider: string;
  readonly key?: string;
  readonly fields?: Json;
  /** The upstream is saved with it as custom host. Default true. */
  readonly hosted?: boolean;
}
interface AdapterInput {
  readonly headers: Headers;
  readonly model?: string;
  readonly key?: string;
}
interface Exchanged {
  readonly answer: Answer;
  readonly received: readonly Received[];
}

const host = ({ hosted = true }: Stored): Json => (hosted ? { custom_host: api.upstream.url } : {});
let made = 0;
async function savedProvider(stored: Stored): Promise<string> {
  made += 1;
  const { provider, key, fields } = stored;
  const slug = `stored-${made}`;
  const configurations = { ...host(stored), ...fields };
  const body = { name: slug, slug, ai_provider_id: provider, workspace_id: "default", ...(key && { key }), configurations };
  bodyOf(await api.admin("POST", "/admin/v2/integrations", body));
  return `@${slug}`;
}
async function saved(config: Json): Promise<string> {
  const answer = await api.admin("POST", "/v2/configs", { name: "Stored", workspace_id: "default", config });
  return String(at(bodyOf(answer), "data", "slug"));
}
const savedConfig = (stored: Stored): Promise<string> => saved(leaf(stored));
const leaf = (stored: Stored): Json => ({
  provider: stored.provider,
  ...(stored.key !== undefined && { api_key: stored.key }),
  ...host(stored),
  ...stored.fields,
});
const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const asHeaders = (fields: Json): Headers =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`x-gateway-${field.replaceAll("_", "-")}`, asText(value)]));
const inline = (config: Json): Headers => ({ "x-gateway-config": JSON.stringify(config) });

async function chat({ headers, model = "m", key = GATEWAY_KEY }: AdapterInput, body: Json = {}): Promise<Exchanged> {
  const before = api.upstream.received.length;
  const answer = await chatWith(api, key, { model, ...body }, headers);
  return { answer, received: api.upstream.received.slice(before) };
}

/** Every way to use a stored credential and say more than was stored. */
const WAYS: Readonly<Record<string, (stored: Stored, more: Json) => Promise<AdapterInput>>> = {
  "a saved provider, by headers": async (stored, more) => ({
    headers: { "x-gateway-provider": await savedProvider(stored), ...asHeaders(more) },
  }),
  "a saved provider of the older header, by headers": async (stored, more) => ({
    headers: { "x-gateway-virtual-key": (await savedProvider(stored)).slice(1), ...asHeaders(more) },
  }),
  "a saved provider of the model's name, by headers": async (stored, more) => ({
    headers: asHeaders(more),
    model: `${await savedProvider(stored)}/m`,
  }),
  "a saved provider of the model's name, by an inline config": async (stored, more) => ({
    headers: inline({ provider: stored.provider, ...more }),
    model: `${await savedProvider(stored)}/m`,
  }),
  "a saved provider, by an inline config": async (stored, more) => ({
    headers: inline({ provider: await savedProvider(stored), ...more }),
  }),
  "a saved provider, by a target of an inline config": async (stored, more) => ({
    headers: inline({ strategy: { mode: "fallback" }, targets: [{ provider: await savedProvider(stored), ...more }] }),
  }),
  "a saved provider, by an inline config's older member and headers": async (stored, more) => ({
    headers: { ...inline({ virtual_key: (await savedProvider(stored)).slice(1) }), ...asHeaders(more) },
  }),
  "a saved provider, by a saved config without a credential": async (stored, more) => ({
    headers: { "x-gateway-config": await saved({ provider: await savedProvider(stored), ...more }) },
  }),
  "a saved config, by headers": async (stored, more) => ({
    headers: { "x-gateway-config": await savedConfig(stored), ...asHeaders(more) },
  }),
  "a target of a saved config, by headers": async (stored, more) => ({
    headers: { "x-gateway-config": await saved({ strategy: { mode: "single" }, targets: [leaf(stored)] }), ...asHeaders(more) },
  }),
  "the default config of a key, by headers": async (stored, more) => ({
    headers: asHeaders(more),
    key: await newKey(api, { defaults: { config_id: await savedConfig(stored) } }),
  }),
};

/* ── what a caller may not add ───────────────────────────────────────────────────────────────────────────────── */

const KEY = "stored-key-0123456789abcdef";
const SECRET = "stored/secret+access/key/0123456789";
const AWS_KEY: Json = { aws_access_key_id: "AKIASTORED", aws_secret_access_key: SECRET };
const ROLE = "arn:aws:iam::123456789012:role/of-the-caller";
const ENTRA: Json = { azure_auth_mode: "entra", azure_entra_client_id: "stored-client", azure_entra_client_secret: "stored-secret" };
const VERTEX: Json = { vertex_project_id: "acme-1", vertex_region: "us" };
const azure = (more: Partial<Stored> = {}): Stored => ({ provider: "azure-openai", key: KEY, ...more });
const bedrock = (more: Partial<Stored> = {}): Stored => ({ provider: "bedrock", fields: AWS_KEY, ...more });
const vertex = (more: Partial<Stored> = {}): Stored => ({ provider: "vertex-ai", key: KEY, fields: VERTEX, ...more });

/** The proof of who asks, as it arrived. */
const proofIn = (request: Received): Json => {
  const { headers } = request;
  const signed = headers.get("authorization")?.startsWith("AWS4") === true;
  const { authentic, keyId, sessionToken } = signed ? claimOf(request, SECRET) : { authentic: null, keyId: null, sessionToken: null };
  const plain = { api: headers.get("api-key"), google: headers.get("x-goog-api-key"), bearer: headers.get("authorization") };
  return signed ? { authentic, keyId, sessionToken } : plain;
};
const AZURE_KEY: Json = { api: KEY, google: null, bearer: null };
const BEARER: Json = { api: null, google: null, bearer: `Bearer ${KEY}` };
const SIGNED: Json = { authentic: true, keyId: "AKIASTORED", sessionToken: null };
const ACCOUNT: Json = {
  client_email: "caller@x.iam.gserviceaccount.com",
  private_key: "of-the-caller",
  token_uri: "https://x.example/token",
};

const IGNORED: readonly (readonly [what: string, stored: Stored, theirs: Json, proof: Json])[] = [
  ["a token", azure(), { azure_ad_token: "token-of-the-caller" }, AZURE_KEY],
  ["another way to authenticate to cloud A", azure(), { azure_auth_mode: "entra" }, AZURE_KEY],
  ["the gateway's own identity in cloud A", azure(), { azure_auth_mode: "workload" }, AZURE_KEY],
  [
    "an application",
    azure(),
    {
      azure_auth_mode: "entra",
      azure_entra_tenant_id: "t",
      azure_entra_client_id: "c",
      azure_entra_client_secret: "s",
      azure_entra_scope: "x",
    },
    AZURE_KEY,
  ],
  ["a role", bedrock(), { aws_auth_type: "assumedRole", aws_role_arn: ROLE, aws_external_id: "caller" }, SIGNED],
  ["another way to authenticate to cloud C", bedrock(), { aws_auth_type: "apiKey" }, SIGNED],
  ["a session token", bedrock(), { aws_session_token: "session-of-the-caller" }, SIGNED],
  [
    "an access key",
    { provider: "bedrock", key: KEY },
    { aws_access_key_id: "AKIACALLER", aws_secret_access_key: "secret-of-the-caller" },
    BEARER,
  ],
  ["another way to authenticate to cloud B", vertex(), { vertex_auth_type: "apiKey" }, BEARER],
  ["a service account", vertex(), { vertex_auth_type: "serviceAccount", vertex_service_account_json: ACCOUNT }, BEARER],
];
const REFUSED: readonly (readonly [what: string, stored: Stored, theirs: Json, param: string, sentence: string])[] = [
  ["the resource", azure({ hosted: false }), { azure_resource_name: "of-the-caller" }, "azure_resource_name", "it has no address"],
  [
    "the directory of an application",
    { provider: "azure-openai", fields: ENTRA },
    { azure_entra_tenant_id: "of-the-caller" },
    "azure_entra_tenant_id",
    "azure_auth_mode entra needs azure_entra_tenant_id",
  ],
  [
    "the role of an access key",
    bedrock({ fields: { ...AWS_KEY, aws_auth_type: "assumedRole" } }),
    { aws_role_arn: ROLE },
    "aws_role_arn",
    "aws_role_arn names the role to assume",
  ],
  [
    "the id of an access key",
    { provider: "bedrock", fields: { aws_secret_access_key: SECRET } },
    { aws_access_key_id: "AKIACALLER" },
    "aws_access_key_id",
    "aws_access_key_id is missing beside the other parts of the access key",
  ],
];

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  test.each(IGNORED)(
    verifies("5.not-leaked", "a stored credential stands for nobody else: %s is not taken"),
    async (_, stored, theirs, proof) => {
      const { answer, received } = await chat(await way(stored, theirs));
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
      expect(received.map(proofIn)).toEqual([proof]);
    },
  );
  test.each(REFUSED)(
    verifies("5.not-leaked", "a stored credential goes nowhere else: %s is missing where it is not stored"),
    async (_, stored, theirs, param, sentence) => {
      const { answer, received } = await chat(await way(stored, theirs));
      expect(bodyOf(answer, 400)["error"]).toMatchObject({ param, message: expect.stringContaining(sentence) });
      expect(received).toBeEmpty();
    },
  );
});

test("a saved provider without a key stays as it was saved as well", async () => {
  const keyless: Stored = { provider: "bedrock", fields: { aws_auth_type: "assumedRole" } };
  const headers = { "x-gateway-provider": await savedProvider(keyless), ...asHeaders({ ...AWS_KEY, aws_role_arn: ROLE }) };
  const { answer, received } = await chat({ headers });
  expect({ status: answer.status, param: at(answer.json, "error", "param"), sent: received.length }).toEqual({
    status: 400,
    param: "aws_role_arn",
    sent: 0,
  });
});

/* ── what a request may say ──────────────────────────────────────────────────────────────────────────────────── */

/** Path and headers by which the request's own words arrive. */
const wordsIn = (request: Received): Json => ({
  path: request.path,
  beta: request.headers.get("openai-beta"),
  capacity: request.headers.get("x-vertex-ai-llm-request-type"),
  region: request.headers.get("authorization")?.startsWith("AWS4") === true ? claimOf(request, SECRET).region : null,
});
const NO_WORDS = { beta: null, capacity: null, region: null };
const TAKEN: readonly (readonly [what: string, stored: Stored, theirs: Json, proof: Json, words: Json])[] = [
  [
    "deployment, version and betas",
    azure(),
    { azure_deployment_id: "d", azure_api_version: "2024-10-21", openai_beta: "b=1" },
    AZURE_KEY,
    { ...NO_WORDS, path: "/deployments/d/chat/completions?api-version=2024-10-21", beta: "b=1" },
  ],
  [
    "the region of cloud C",
    bedrock(),
    { aws_region: "eu-central-1" },
    SIGNED,
    { ...NO_WORDS, path: "/model/m/converse", region: "eu-central-1" },
  ],
  [
    "project, region and capacity",
    vertex({ fields: {} }),
    { vertex_project_id: "other-1", vertex_region: "europe-west4", vertex_llm_request_type: "shared" },
    BEARER,
    { ...NO_WORDS, path: "/v1/projects/other-1/locations/europe-west4/publishers/google/models/m:generateContent", capacity: "shared" },
  ],
];

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  test.each(TAKEN)("a request may say what is not stored: %s", async (_, stored, theirs, proof, words) => {
    const { answer, received } = await chat(await way(stored, theirs));
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    expect(received.map((request) => [proofIn(request), wordsIn(request)])).toEqual([[proof, words]]);
  });
});

describe("without a stored credential", () => {
  const TOKEN = { azure_ad_token: "token-of-the-caller" };
  const theirs = { api: null, google: null, bearer: "Bearer token-of-the-caller" };

  test("a saved config takes the caller's own from headers, with the fields that go with it", async () => {
    const config = await saved({ provider: "bedrock", custom_host: api.upstream.url, aws_region: "eu-west-3" });
    const { received } = await chat({ headers: { "x-gateway-config": config, ...asHeaders({ ...AWS_KEY, aws_session_token: "own" }) } });
    expect(received.map(proofIn)).toEqual([{ ...SIGNED, sessionToken: "own" }]);
  });
  test("an inline config with a key of its own is the caller's to complete", async () => {
    const { received } = await chat({ headers: { ...inline(leaf(azure())), ...asHeaders(TOKEN) } });
    expect(received.map(proofIn)).toEqual([theirs]);
  });
  test("a target takes from headers what the target beside it, which has a key, does not", async () => {
    api.upstream.answer(jsonAnswer({ error: { message: "busy" } }, { status: 503 }));
    const targets = [
      leaf({ provider: "azure-openai" }),
      leaf(azure()),
      leaf({ provider: "azure-openai", fields: { azure_ad_token: KEY } }),
    ];
    const config = await saved({ strategy: { mode: "fallback" }, targets });
    const { received } = await chat({ headers: { "x-gateway-config": config, ...asHeaders(TOKEN) } });
    expect(received.map(proofIn)).toEqual([theirs, AZURE_KEY, BEARER]);
  });
});

/* ── which vendor a request may choose ───────────────────────────────────────────────────────────────────────── */

describe("a credential in a saved config that names no provider", () => {
  const STORED: readonly (readonly [what: string, config: () => Json])[] = [
    ["a key", () => ({ api_key: KEY })],
    ["a key with a host", () => ({ api_key: KEY, custom_host: api.upstream.url })],
    ["a key in a target", () => ({ strategy: { mode: "single" }, targets: [{ api_key: KEY, custom_host: api.upstream.url }] })],
    ["a secret field", () => ({ azure_ad_token: KEY, custom_host: api.upstream.url })],
  ];
  const sentence =
    "the key in a saved config that names no provider is not sent to one that the request names; save the provider in the config, beside the key";
  test.each(STORED)(verifies("5.not-leaked", "is not sent to the provider that a request names: %s"), async (_, config) => {
    const slug = await saved(config());
    const asks: readonly AdapterInput[] = [
      { headers: { "x-gateway-config": slug, "x-gateway-provider": "azure-openai" } },
      {
        headers: { "x-gateway-provider": "azure-openai", authorization: "Bearer of-the-caller" },
        key: await newKey(api, { defaults: { config_id: slug } }),
      },
    ];
    for (const ask of asks) {
      const { answer, received } = await chat(ask);
      expect(bodyOf(answer, 400)["error"]).toEqual({
        message: `The target azure-openai is not complete: ${sentence}.`,
        type: "invalid_request_error",
        param: "x-gateway-provider",
        code: "target_invalid",
      });
      expect(received).toBeEmpty();
    }
  });
  test("stays where it is when the request names a saved provider: that one brings its own", async () => {
    const config = await saved({ api_key: "key-of-the-config", custom_host: api.upstream.url });
    const provider = await savedProvider(azure());
    for (const ask of [{ "x-gateway-provider": provider }, { "x-gateway-virtual-key": provider.slice(1) }]) {
      const { received } = await chat({ headers: { "x-gateway-config": config, ...ask } });
      expect(received.map(proofIn)).toEqual([AZURE_KEY]);
    }
    const { received } = await chat({ headers: { "x-gateway-config": config }, model: `${provider}/m` });
    expect(received.map(proofIn)).toEqual([AZURE_KEY]);
  });
  test("is the caller's to send where they will when the config is their own", async () => {
    const config = inline({ api_key: KEY, custom_host: api.upstream.url });
    const { received } = await chat({ headers: { ...config, "x-gateway-provider": "azure-openai" } });
    expect(received.map(proofIn)).toEqual([AZURE_KEY]);
  });
  test("without one, the request names the provider and brings the key", async () => {
    const config = await saved({ custom_host: api.upstream.url });
    const headers = { "x-gateway-config": config, "x-gateway-provider": "azure-openai" };
    const { received } = await chat({ headers: { ...headers, ...asHeaders({ azure_ad_token: KEY }) } });
    expect(received.map(proofIn)).toEqual([BEARER]);
  });
});

test("a stored credential without an address is told where to save one", async () => {
  const headers = { "x-gateway-provider": await savedProvider(azure({ hosted: false })) };
  const { answer } = await chat({ headers });
  expect(at(bodyOf(answer, 400), "error", "message")).toBe(
    "The target azure-openai is not complete: it has no address; beside a saved credential, save azure_resource_name or custom_host, else send x-gateway-azure-resource-name or x-gateway-custom-host.",
  );
});

/* ── what a provider's error repeats ─────────────────────────────────────────────────────────────────────────── */

describe("an error that repeats a stored secret", () => {
  const SESSION = "stored/session+token/0123456789==";
  const PLACES = Object.entries({
    "a saved provider": async (stored: Stored): Promise<Headers> => ({ "x-gateway-provider": await savedProvider(stored) }),
    "a saved config": async (stored: Stored): Promise<Headers> => ({ "x-gateway-config": await savedConfig(stored) }),
  });
  const messageOf = async (headers: Headers, status: number, body: Json = {}): Promise<unknown> => {
    const { answer } = await chat({ headers }, body);
    const log = await logOf(api, String(answer.headers.get("x-gateway-trace-id")));
    for (const secret of [KEY, SECRET, SESSION]) expect(answer.text + JSON.stringify(log)).not.toContain(secret);
    return at(bodyOf(answer, status), "error", "message");
  };
  const repeating = (text: string): Replay => jsonAnswer({ message: text, error: { message: text } }, { status: 403 });

  test.each(PLACES)(verifies("5.not-leaked", "of %s reaches the client without it: a token given with its scheme"), async (_, place) => {
    api.upstream.answer(repeating(`The token ${KEY} has expired (Bearer ${KEY}).`));
    const headers = await place({ provider: "azure-openai", fields: { azure_ad_token: `Bearer ${KEY}` } });
    expect(await messageOf(headers, 403)).toBe("azure-openai error: The token [redacted] has expired (Bearer [redacted]).");
  });
  test.each(PLACES)("of %s reaches the client without it: every part of an access key", async (_, place) => {
    const headers = await place(bedrock({ fields: { ...AWS_KEY, aws_session_token: SESSION } }));
    api.upstream.answer(repeating(`AKIASTORED with ${SECRET} and ${SESSION} is not known.`));
    expect(await messageOf(headers, 403)).toBe("bedrock error: AKIASTORED with [redacted] and [redacted] is not known.");
  });
  test.each(PLACES)("of %s reaches the client without it: a stream's first event", async (_, place) => {
    const headers = await place(bedrock({ fields: { ...AWS_KEY, aws_session_token: SESSION } }));
    const body = exception("validationException", { message: `${SESSION} is not valid.` });
    api.upstream.answer({ body, headers: { "content-type": "application/vnd.amazon.eventstream" } });
    expect(await messageOf(headers, 400, { stream: true })).toBe("bedrock error: [redacted] is not valid.");
  });
  test("loses the whole of it where another secret is a part of it", async () => {
    const headers = await PLACES[0]?.[1]({ provider: "azure-openai", key: KEY.slice(0, 12), fields: { azure_ad_token: KEY } });
    api.upstream.answer(repeating(`${KEY} or ${KEY.slice(0, 12)}?`));
    expect(await messageOf(headers ?? {}, 403)).toBe("azure-openai error: [redacted] or [redacted]?");
  });
  test("keeps its words where a short value is one of them", async () => {
    const headers = await PLACES[0]?.[1]({ provider: "azure-openai", fields: { azure_ad_token: "token" } });
    api.upstream.answer(repeating("The token is not valid."));
    expect(await messageOf(headers ?? {}, 403)).toBe("azure-openai error: The token is not valid.");
  });
});

/* ── what may be edited beside it ────────────────────────────────────────────────────────────────────────────── */

/** A credential as its editor sees it: every secret masked. */
interface Shown {
  readonly key?: unknown;
  readonly fields: Json;
}
/** A place where credentials are stored, and how it is read, edited and used. */
interface CredentialStore {
  readonly read: () => Promise<Shown>;
  readonly write: (shown: Shown) => Promise<Answer>;
  readonly headers: Headers;
  /** How its errors name a secret. */
  readonly param: (secret: string) => string;
}

async function integrationOf(stored: Stored): Promise<CredentialStore> {
  const provider = await savedProvider(stored);
  const path = `/admin/v2/integrations/${provider.slice(1)}`;
  return {
    headers: { "x-gateway-provider": provider },
    param: (secret) => (secret === "api_key" ? "key" : secret),
    async read() {
      const { masked_key, configurations } = bodyOf(await api.admin("GET", path));
      return { ...(masked_key !== null && { key: masked_key }), fields: configurations as Json }; // the documented shape
    },
    write: ({ key, fields }) => api.admin("PUT", path, { ...(key !== undefined && { key }), configurations: fields }),
  };
}
/** The config has its credential where `wrap` puts it, and `unwrap` finds it. */
async function configOf(
  stored: Stored,
  level: string,
  wrap: (leaf: Json) => Json,
  unwrap: (config: Json) => Json,
): Promise<CredentialStore> {
  const slug = await saved(wrap(leaf(stored)));
  const path = `/v2/configs/${slug}`;
  return {
    headers: { "x-gateway-config": slug },
    param: (secret) => `${level}.${secret}`,
    async read() {
      const config = at(bodyOf(await api.admin("GET", path)), "data", "config") as Json; // the documented shape
      const { provider: _, api_key: key, ...fields } = unwrap(config);
      return { ...(key !== undefined && { key }), fields };
    },
    write({ key, fields }) {
      const config = wrap({ provider: stored.provider, ...(key !== undefined && { api_key: key }), ...fields });
      return api.admin("PUT", path, { config });
    },
  };
}
const PLACES: readonly (readonly [place: string, make: (stored: Stored) => Promise<CredentialStore>])[] = [
  ["an integration", integrationOf],
  [
    "a saved config",
    (stored) =>
      configOf(
        stored,
        "config",
        (leaf) => leaf,
        (config) => config,
      ),
  ],
  [
    "a target of a saved config",
    (stored) =>
      configOf(
        stored,
        "config.targets[1]",
        (leaf) => ({ strategy: { mode: "loadbalance" }, targets: [{ provider: "sandbox", weight: 0 }, leaf] }),
        (config) => at(config, "targets", 1) as Json, // as it was written
      ),
  ],
];
const edited = (shown: Shown, more: Json): Shown => ({ ...shown, fields: { ...shown.fields, ...more } });

/** Each field that is marked, with two of its values, beside a credential of its cloud. */
const BOUND: readonly (readonly [field: string, stored: Stored, secret: string, value: string, other: string])[] = [
  ["azure_resource_name", azure(), "api_key", "stored", "of-the-editor"],
  ["azure_auth_mode", azure(), "api_key", "default", "entra"],
  ["azure_entra_tenant_id", azure({ key: "", fields: ENTRA }), "azure_entra_client_secret", "stored", "of-the-editor"],
  ["azure_entra_client_id", azure({ key: "", fields: ENTRA }), "azure_entra_client_secret", "stored", "of-the-editor"],
  ["azure_entra_scope", azure({ key: "", fields: ENTRA }), "azure_entra_client_secret", "api://stored", "api://of-the-editor"],
  ["azure_workload_client_id", azure(), "api_key", "stored", "of-the-editor"],
  ["azure_workload_tenant_id", azure(), "api_key", "stored", "of-the-editor"],
  ["vertex_auth_type", vertex(), "api_key", "accessToken", "apiKey"],
  ["vertex_wif_audience", vertex(), "api_key", "//iam.googleapis.com/stored", "//iam.googleapis.com/of-the-editor"],
  ["vertex_wif_service_account_email", vertex(), "api_key", "stored@a.example", "editor@a.example"],
  ["aws_auth_type", bedrock(), "aws_secret_access_key", "accessKey", "assumedRole"],
  ["aws_access_key_id", bedrock(), "aws_secret_access_key", "AKIASTORED", "AKIAEDITOR"],
  ["aws_role_arn", bedrock(), "aws_secret_access_key", "arn:aws:iam::123456789012:role/stored", ROLE],
  ["aws_external_id", bedrock(), "aws_secret_access_key", "stored", "of-the-editor"],
  ["custom_host", azure({ hosted: false }), "api_key", "https://models.example.org/one", "https://models.example.org/two"],
];

const withValue = (stored: Stored, field: string, value: string | undefined): Stored => ({
  ...stored,
  fields: Object.fromEntries(Object.entries({ ...stored.fields, [field]: value }).filter(([, one]) => one !== undefined)),
});

describe.each(PLACES)("an editor who knows only masks cannot change, in %s,", (_, make) => {
  test.each(BOUND)(
    verifies("5.not-leaked", "%s beside the credential that is kept: not to another value, nor away, nor in"),
    async (field, stored, secret, value, other) => {
      const edits: readonly (readonly [from: string | undefined, to: string | undefined])[] = [
        [value, other],
        [value, undefined],
        [undefined, other],
      ];
      for (const [from, to] of edits) {
        const place = await make(withValue(stored, field, from));
        const shown = await place.read();
        const error = at(bodyOf(await place.write(edited(shown, { [field]: to })), 400), "error");
        expect(error).toMatchObject({ code: "AB01", param: place.param(secret), message: expect.stringContaining(field) });
        expect(await place.read()).toEqual(shown);
        bodyOf(await place.write(shown));
      }
    },
  );
});
test("no field of the three clouds that is marked is left out of these tests, but secrets", () => {
  const marked = [AzureTarget, vertexTarget, bedrockTarget].flatMap((target) =>
    Object.entries(target.properties as Readonly<Record<string, TSchema>>) // object schemas
      .filter(([, property]) => property["bound"] === true && property["secret"] !== true)
      .map(([name]) => name),
  );
  expect(BOUND.map(([field]) => field).sort()).toEqual([...marked, "custom_host"].sort());
});

describe.each(PLACES)("in %s,", (name, make) => {
  const NEW_KEY = "key-given-anew-0123456789";
  const elsewhere = (): Json => ({ custom_host: `${api.upstream.url}/elsewhere`, azure_resource_name: "elsewhere" });
  const asked = async (place: CredentialStore): Promise<readonly unknown[]> => {
    const { received } = await chat({ headers: place.headers });
    return received.map((request) => [request.path, proofIn(request)]);
  };
  test(verifies("5.not-leaked", "a refused edit leaves the credential going where it went; given anew, it goes elsewhere"), async () => {
    const place = await make(azure());
    const shown = await place.read();
    const before = await asked(place);
    expect(before).toEqual([["/v1/chat/completions", AZURE_KEY]]);
    bodyOf(await place.write(edited(shown, elsewhere())), 400);
    expect(await asked(place)).toEqual(before);
    bodyOf(await place.write({ ...edited(shown, elsewhere()), key: NEW_KEY }));
    expect(await asked(place)).toEqual([["/elsewhere/v1/chat/completions", { ...AZURE_KEY, api: NEW_KEY }]]);
  });
  test(verifies("5.not-leaked", "a secret is not read from another field by its mask, where it would be sent as it is"), async () => {
    const place = await make(bedrock());
    const shown = await place.read();
    const mask = shown.fields["aws_secret_access_key"];
    const anew = { aws_access_key_id: "AKIAEDITOR", aws_secret_access_key: "secret-of-the-editor-0123" };
    const host = { custom_host: `${api.upstream.url}/elsewhere` };
    for (const more of [{ ...anew, ...host }, anew, {}]) {
      const answer = await place.write(edited(shown, { ...more, aws_session_token: mask }));
      expect(at(bodyOf(answer, 400), "error", "param")).toBe(place.param("aws_session_token"));
    }
    expect(await asked(place)).toEqual([["/model/m/converse", SIGNED]]);
  });
  test.each(TAKEN)("what a request may say may be edited beside masks: %s", async (_, stored, more, proof, words) => {
    const place = await make(stored);
    bodyOf(await place.write(edited(await place.read(), more)));
    const { received } = await chat({ headers: place.headers });
    expect(received.map((request) => [proofIn(request), wordsIn(request)])).toEqual([[proof, words]]);
  });
  test("one secret may be given anew and the other kept", async () => {
    const place = await make(azure({ fields: { azure_ad_token: "token-that-was-stored" } }));
    bodyOf(await place.write(edited(await place.read(), { azure_ad_token: SECRET })));
    expect(await asked(place)).toEqual([["/v1/chat/completions", { ...BEARER, bearer: `Bearer ${SECRET}` }]]);
    const taken = await place.read();
    bodyOf(await place.write(edited(taken, { azure_ad_token: name === "an integration" ? null : undefined })));
    expect(await asked(place)).toEqual([["/v1/chat/completions", AZURE_KEY]]);
  });
});

test("a config that names a saved provider in the older spelling keeps its credential from every other", async () => {
  const path = `/v2/configs/${await saved({ virtual_key: "azure-openai", api_key: KEY })}`;
  const { api_key } = at(bodyOf(await api.admin("GET", path)), "data", "config") as Json; // the documented shape
  for (const named of [{}, { provider: "azure-openai" }, { virtual_key: "another" }]) {
    const answer = await api.admin("PUT", path, { config: { api_key, ...named } });
    expect(at(bodyOf(answer, 400), "error", "param")).toBe("config.api_key");
  }
});

/* ── the marks ───────────────────────────────────────────────────────────────────────────────────────────────── */

/** The fields a request may say beside a stored credential. */
const FREE: readonly (readonly [cloud: string, target: TSchema, free: readonly string[]])[] = [
  ["cloud A", AzureTarget, ["azure_deployment_id", "azure_api_version", "azure_model_name", "azure_deployment_config", "openai_beta"]],
  [
    "cloud B",
    vertexTarget,
    [
      "vertex_project_id",
      "vertex_region",
      "vertex_llm_request_type",
      "vertex_llm_shared_request_type",
      "anthropic_version",
      "anthropic_beta",
    ],
  ],
  ["cloud C", bedrockTarget, ["aws_region"]],
];
test.each(FREE)("every other field of %s is marked: it decides where a credential goes or whom it stands for", (_, target, free) => {
  const properties = Object.entries(target["properties"] as Readonly<Record<string, TSchema>>); // an object schema
  const marked = ([, property]: (typeof properties)[number]): boolean => property["bound"] === true || property["secret"] === true;
  expect(properties.filter((field) => !marked(field)).map(([name]) => name)).toEqual([...free]);
});
