/** Integrations whose provider takes tokens of an OAuth client, through the running gateway. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";

const SECRET = "client-secret-0123456789";
let login: ReplayServer;
let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  [login, upstream] = [replayServer(), replayServer()];
  const hosts = [login, upstream].map(({ url }) => new URL(url).host);
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: hosts.join(",") } });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([login.close(), upstream.close()]);
});

const admin = (method: string, path: string, body?: Json): Promise<Answer> =>
  ask(`${gateway.base}/admin/v2${path}`, method, ADMIN_KEY, body);
const client = (more: Json = {}): Json => ({
  auth_type: "oauthClientCredentials",
  oauth_token_endpoint: `${login.url}/token`,
  oauth_client_id: "gateway",
  oauth_client_secret: SECRET,
  oauth_scope: "models",
  ...more,
});
const integration = (slug: string, configurations: Json, more: Json = {}): Promise<Answer> =>
  admin("POST", "/integrations", {
    name: slug,
    slug,
    ai_provider_id: "openai",
    workspace_id: "default",
    configurations: { custom_host: `${upstream.url}/v1`, ...configurations },
    ...more,
  });
const chatted = (slug: string, config: Json = {}): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "m", messages: [{ role: "user", content: "Hello" }] },
    { "x-gateway-config": JSON.stringify({ provider: `@${slug}`, ...config }) },
  );
const message = { role: "assistant", content: "Hi" };
const completion = jsonAnswer({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop" }],
});
/** Tokens in order, each named after how often one was asked for. */
function granting(): void {
  let count = 0;
  login.answer(() => jsonAnswer({ access_token: `granted-token-${(count += 1)}`, expires_in: 3600, token_type: "Bearer" }));
}
const auth = ({ headers }: Received): string | null => headers.get("authorization");
const since = (server: ReplayServer) => {
  const before = server.received.length;
  return (): readonly Received[] => server.received.slice(before);
};

test(verifies("A.oauth.used", "a provider gets a token that is fetched once, and nobody sees the secret or the token"), async () => {
  granting();
  upstream.answer(completion);
  const [asked, called] = [since(login), since(upstream)];
  bodyOf(await integration("models", client()));
  for (let i = 0; i < 3; i += 1) expect((await chatted("models")).status).toBe(200);
  expect(asked().map((request) => [request.method, request.path, request.text()])).toEqual([
    ["POST", "/token", `grant_type=client_credentials&client_id=gateway&client_secret=${SECRET}&scope=models`],
  ]);
  expect(called().map(auth)).toEqual(Array(3).fill("Bearer granted-token-1"));
  const shown = await admin("GET", "/integrations/models");
  expect(bodyOf(shown)["configurations"]).toMatchObject({
    oauth_client_id: "gateway",
    oauth_client_secret: "cl*******89",
    oauth_scope: "models",
  });
  expect(shown.text + gateway.output()).not.toMatch(/client-secret-0123456789|granted-token/);
});
test(verifies("A.oauth.renewed", "a token that the provider no longer accepts is replaced once, within the request"), async () => {
  granting();
  upstream.answer((request) =>
    auth(request) === "Bearer granted-token-2" ? completion : jsonAnswer({ error: { message: "expired" } }, { status: 401 }),
  );
  const [asked, called] = [since(login), since(upstream)];
  bodyOf(await integration("renewed", client()));
  expect((await chatted("renewed")).status).toBe(200);
  expect((await chatted("renewed")).status).toBe(200);
  expect(called().map(auth)).toEqual(["Bearer granted-token-1", "Bearer granted-token-2", "Bearer granted-token-2"]);
  upstream.answer(jsonAnswer({ error: { message: "not for you" } }, { status: 401 }));
  for (let i = 0; i < 3; i += 1) {
    const refused = await chatted("renewed");
    expect(refused.status).toBe(401);
    expect(refused.text).toContain("not for you");
  }
  expect([asked().length, called().length]).toEqual([2, 6]);
});
test(verifies("A.oauth.errors", "an endpoint that refuses is told of, and another target may answer"), async () => {
  login.answer(jsonAnswer({ error: "unauthorized_client", error_description: SECRET }, { status: 400 }));
  upstream.answer(completion);
  bodyOf(await integration("refused", client()));
  const answer = await chatted("refused");
  expect(answer.status).toBe(502);
  expect(answer.text).toContain("The token endpoint of the integration refused gave no token: it said unauthorized_client (400).");
  expect(answer.text).not.toContain(SECRET);
  const fallback = { strategy: { mode: "fallback" }, targets: [{ provider: "@refused" }, { provider: "sandbox" }] };
  const body = { model: "echo", messages: [{ role: "user", content: "Hello" }] };
  const headers = { "x-gateway-config": JSON.stringify(fallback) };
  expect((await ask(`${gateway.base}/v1/chat/completions`, "POST", GATEWAY_KEY, body, headers)).status).toBe(200);
});
test(verifies("A.oauth.errors", "an endpoint that is away is a 503 that says when to try again, and shows in /status"), async () => {
  login.answer(jsonAnswer({}, { status: 503 }));
  bodyOf(await integration("endpoint-away", client()));
  const answer = await chatted("endpoint-away");
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.text).toContain(
    "The token endpoint of the integration endpoint-away cannot be asked just now: it could not be reached, or answered without a token.",
  );
  const status = await ask(`${gateway.base}/status`, "GET", ADMIN_KEY);
  expect(status.text).toContain("nothing is kept: endpoint-away (oauth).");
});
test(verifies("A.oauth.stored", "the secret may be kept elsewhere, and a stored one goes to no other endpoint"), async () => {
  upstream.answer(completion);
  const [asked, kept] = [since(login), "client-secret-of-a-vault-0123456789"];
  bodyOf(
    await admin("POST", "/secret-references", {
      name: "client",
      slug: "client",
      manager_type: "hashicorp_vault",
      auth_config: { vault_auth_type: "token", vault_addr: login.url, vault_token: "hvs.0123456789" },
      secret_path: "secret/data/client",
    }),
  );
  login.answer(({ path }) =>
    path === "/token"
      ? jsonAnswer({ access_token: "granted-token-1", expires_in: 3600 })
      : jsonAnswer({ data: { data: { secret: kept }, metadata: { version: 1 } } }),
  );
  const { oauth_client_secret: _, ...rest } = client();
  const mapping = { target_field: "oauth_client_secret", secret_reference_id: "client" };
  bodyOf(await integration("mapped-client", rest, { secret_mappings: [mapping] }));
  expect((await chatted("mapped-client")).status).toBe(200);
  expect(
    asked()
      .find(({ path }) => path === "/token")
      ?.text(),
  ).toContain(`client_secret=${kept}`);
  const moved = await admin("PUT", "/integrations/models", {
    configurations: { ...client(), oauth_client_secret: "cl*******89", oauth_token_endpoint: `${login.url}/other` },
  });
  expect(moved).toMatchObject({ status: 400, json: { error: { param: "oauth_client_secret" } } });
});
test.each<[string, Json, string]>([
  ["without a secret", { oauth_client_secret: undefined }, "configurations.oauth_client_secret"],
  ["of another kind", { auth_type: "password" }, "configurations.auth_type"],
  ["at no address", { oauth_token_endpoint: "ftp://x" }, "configurations.oauth_token_endpoint"],
])(verifies("A.oauth.stored", "a client %s is refused when it is saved"), async (name, more, param) => {
  const { status, json } = await integration(`bad-${name.replaceAll(" ", "-")}`, client(more));
  expect({ status, json }).toMatchObject({ status: 400, json: { error: { param } } });
});
test(
  verifies("A.oauth.stored", "what a client must say is told in its own spelling, and a misspelt member with the near one"),
  async () => {
    const near = await integration("bad-spelling", client({ auth_type: "oauthClientCredential" }));
    expect(near.text).toContain("auth_type: expected 'oauthClientCredentials'");
    const typo = await integration("bad-member", client({ oauth_scop: "x" }));
    expect(typo).toMatchObject({ status: 400, json: { error: { param: "configurations.oauth_scop" } } });
    expect(typo.text).toContain("oauth_scop: there is no such member. oauth_scope was probably meant");
  },
);
