import { beforeEach, describe, expect, test } from "bun:test";
import type { Handles, Json } from "#contract";
import { type Judging, type JudgedByOne, judgedRequest } from "../../../tests/kit/judged.ts";
import { signedToken, signer } from "../../../tests/kit/signed-token.ts";
import jwt from "../checks/jwt.ts";

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1_000;
const KEYS = "https://a.example.com/jwks";
const INTROSPECTION = "https://auth.example.com/introspect";

let services: Record<string, () => unknown>;
let asked: { readonly url: string; readonly init: RequestInit }[];
const fetch: Handles["fetch"] = async (url, init = {}) => {
  asked.push({ url: String(url), init });
  const answered = services[String(url)]?.();
  return answered instanceof Response ? answered : Response.json(answered);
};
let check: ReturnType<typeof jwt>;
beforeEach(() => {
  asked = [];
  services = {};
  check = jwt({ fetch });
});
const outcome = ({ denied, check: { data, error } }: JudgedByOne): unknown =>
  denied ? (error?.name ?? (data as { explanation?: unknown }).explanation) : "passes";

describe("introspection", () => {
  const opaque = (parameters: Json = {}, more: Judging = {}) =>
    judgedRequest(
      check,
      {},
      {
        now: NOW,
        ...more,
        headers: new Headers({ "x-user-token": "Bearer opaque+token" }),
        parameters: { introspectEndpoint: INTROSPECTION, headerKey: "x-user-token", ...parameters },
      },
    );
  test("asks whether a token is active, as a form or as JSON, with the headers it was given", async () => {
    services[INTROSPECTION] = () => ({ active: true, sub: "ada" });
    expect(outcome(await opaque({ requiredClaims: ["sub"], introspectHeaders: { authorization: "Basic eA==" } }))).toBe("passes");
    await opaque({ introspectContentType: "application/json" });
    expect(asked.map(({ init }) => [init.method, init.body, new Headers(init.headers).get("content-type")])).toEqual([
      ["POST", "token=opaque%2Btoken", "application/x-www-form-urlencoded"],
      ["POST", '{"token":"opaque+token"}', "application/json"],
    ]);
    expect(new Headers(asked[0]?.init.headers).get("authorization")).toBe("Basic eA==");
  });
  test("is remembered for its time, never beyond the token's end", async () => {
    services[INTROSPECTION] = () => ({ active: true, exp: SECONDS + 30 });
    for (const after of [0, 29_000]) await opaque({}, { now: NOW + after });
    expect(asked.length).toBe(1);
    expect(outcome(await opaque({}, { now: NOW + 36_000 }))).toBe("The token is not active.");
    expect(asked.length).toBe(2);
    for (const again of [1, 2]) await opaque({ introspectCacheMaxAge: 0 }, { now: NOW + 40_000 + again });
    expect(asked.length).toBe(4);
  });
  test("denies what is not active, and is an error where it does not say", async () => {
    services[INTROSPECTION] = () => ({ active: false });
    expect(outcome(await opaque())).toBe("The token is not active.");
    for (const broken of [() => ({}), () => ({ active: "yes" }), () => new Response("no", { status: 503 })]) {
      services[INTROSPECTION] = broken;
      expect(outcome(await opaque({ introspectHeaders: { n: String(broken) } }))).toBe("Authentication error");
    }
  });
  test("is asked beside the keys: both must accept the token", async () => {
    services[INTROSPECTION] = () => ({ active: false });
    const [one, other] = [await signer("one"), await signer("other")];
    services[KEYS] = () => ({ keys: [one.jwk] });
    const judged = async (key: CryptoKey): Promise<unknown> => {
      const token = await signedToken({ key, jwk: one.jwk }, { issuedAt: SECONDS });
      const parameters = { jwksUri: KEYS, introspectEndpoint: INTROSPECTION, headerKey: "x-user-token" };
      return outcome(await judgedRequest(check, {}, { now: NOW, headers: new Headers({ "x-user-token": token }), parameters }));
    };
    expect(await judged(one.key)).toBe("The token is not active.");
    expect(await judged(other.key)).toBe("The token's signature is not valid.");
    expect(asked.filter(({ url }) => url === INTROSPECTION).length).toBe(1);
  });
});
