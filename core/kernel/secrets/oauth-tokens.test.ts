import { expect, test } from "bun:test";
import type { OAuthClient } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import type { EgressRequest } from "../../egress/egress.ts";
import { oauthTokens } from "./oauth-tokens.ts";

const CLIENT: OAuthClient = {
  oauth_token_endpoint: "https://login.example/token",
  oauth_client_id: "client",
  oauth_client_secret: "s3cret value+",
};
const FORM = "grant_type=client_credentials&client_id=client&client_secret=s3cret+value%2B";

/** A token endpoint that answers in order, and a clock that moves when told to. */
function world(...answers: readonly (readonly [status: number, body: unknown])[]) {
  const state = { now: 0, left: [...answers] };
  const asked: EgressRequest[] = [];
  const hidden: string[] = [];
  const lines: unknown[] = [];
  const tokens = oauthTokens({
    egress: {
      send: async (request) => {
        asked.push(request);
        const [status, body] = state.left.shift() ?? expect.unreachable();
        if (status === 0) throw new Error("connection refused");
        return Response.json(body, { status });
      },
    },
    log: { log: (...line) => void lines.push(line), hide: (secret) => void hidden.push(secret) },
    now: () => state.now,
  });
  const owner = (client: Partial<OAuthClient> = {}, integrationId = "i1") => ({
    organisationId: "o",
    integrationId,
    name: "models",
    client: { ...CLIENT, ...client },
  });
  return { state, asked, hidden, lines, tokens, owner };
}
const token = (access_token: string, expires_in: unknown = 100): readonly [number, unknown] => [
  200,
  { access_token, expires_in, token_type: "Bearer" },
];

test(verifies("A.oauth.kept", "a token is fetched once for a hundred requests, and again behind them before it ends"), async () => {
  const { state, asked, tokens, owner, hidden } = world(token("first"), token("second", "100"));
  const all = await Promise.all(Array.from({ length: 100 }, async () => tokens.token(owner())));
  expect(new Set(all)).toEqual(new Set(["first"]));
  state.now = 79_999;
  expect(tokens.token(owner())).toBe("first");
  expect(asked).toHaveLength(1);
  state.now = 80_000;
  expect(tokens.token(owner())).toBe("first");
  await Bun.sleep(0);
  expect(tokens.token(owner())).toBe("second");
  expect(hidden).toEqual(["first", "second"]);
  expect(asked.map(({ method, url, body, headers }) => ({ method, url, body, type: headers["content-type"] }))).toEqual(
    Array(2).fill({ method: "POST", url: "https://login.example/token", body: FORM, type: "application/x-www-form-urlencoded" }),
  );
});
test("a scope is asked for where there is one, and another integration or client has a token of its own", async () => {
  const { asked, tokens, owner } = world(token("a"), token("b"), token("c"));
  await tokens.token(owner({ oauth_scope: "models.read models.write" }));
  await tokens.token(owner({}, "i2"));
  await tokens.token(owner({ oauth_client_secret: "other" }));
  expect(asked[0]?.body).toBe(`${FORM}&scope=models.read+models.write`);
  expect(asked).toHaveLength(3);
});
test("a client that an endpoint knows by its header alone is told of there", async () => {
  const { asked, tokens, owner } = world([401, { error: "invalid_client" }], token("a"));
  expect(await tokens.token(owner())).toBe("a");
  expect(asked[1]?.body).toBe("grant_type=client_credentials");
  expect(asked[1]?.headers["authorization"]).toBe(`Basic ${Buffer.from("client:s3cret+value%2B").toString("base64")}`);
});
test("a token that was not accepted is replaced once, whoever else says so of it", async () => {
  const { asked, tokens, owner } = world(token("first"), token("second"));
  await tokens.token(owner());
  expect(await Promise.all([tokens.renewed(owner(), "first"), tokens.renewed(owner(), "first")])).toEqual(["second", "second"]);
  expect(await tokens.renewed(owner(), "first")).toBe("second");
  expect(asked).toHaveLength(2);
});
test("what took its place is not replaced as well where it is not accepted either, until a while later", async () => {
  const { state, asked, tokens, owner } = world(token("first"), token("second"), token("third"), token("others"));
  await tokens.token(owner());
  expect(await tokens.renewed(owner(), "first")).toBe("second");
  for (let i = 0; i < 3; i += 1) expect(await tokens.renewed(owner(), "second")).toBe("second");
  expect(asked).toHaveLength(2);
  state.now = 30_000;
  expect(await tokens.renewed(owner(), "second")).toBe("third");
  expect(await tokens.token(owner({}, "i2"))).toBe("others");
});
test.each<[string, readonly [number, unknown], object]>([
  ["refuses", [400, { error: "invalid_scope", error_description: "s3cret" }], { code: "OAUTH_REFUSED", status: 502 }],
  ["is away", [0, {}], { code: "OAUTH_UNAVAILABLE", status: 503 }],
  ["is broken", [500, {}], { code: "OAUTH_UNAVAILABLE", status: 503 }],
  ["sends none", [200, {}], { code: "OAUTH_UNAVAILABLE", status: 503 }],
  ["sends what is no token", [200, { access_token: "a\nb" }], { code: "OAUTH_UNAVAILABLE", status: 503 }],
])(
  verifies("A.oauth.errors", "an endpoint that %s is told of with the integration's name, and without the secret"),
  async (_, answer, error) => {
    const { tokens, owner } = world(answer);
    const thrown = await (async () => tokens.token(owner()))().catch((failure: unknown) => failure);
    expect(thrown).toMatchObject({ ...error, message: expect.stringContaining("models") });
    expect(String(thrown)).not.toContain("s3cret");
  },
);
test("while its endpoint is away, a token is used until it ends and no longer", async () => {
  const { state, tokens, owner, lines } = world(token("first"), [0, {}], [0, {}]);
  await tokens.token(owner());
  state.now = 90_000;
  expect(tokens.token(owner())).toBe("first");
  await Bun.sleep(0);
  expect(tokens.token(owner())).toBe("first");
  state.now = 100_000;
  await expect((async () => tokens.token(owner()))()).rejects.toMatchObject({ code: "OAUTH_UNAVAILABLE" });
  expect(lines).toMatchObject([
    ["warn", "secret.manager_away", { serves: "what is kept" }],
    ["warn", "secret.manager_away", { serves: "nothing" }],
  ]);
});
