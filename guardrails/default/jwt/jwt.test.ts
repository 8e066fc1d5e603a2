import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import type { Handles, Json } from "#contract";
import { problemsOf } from "../../../tests/kit/bound-check.ts";
import { type Judging, type JudgedByOne, judgedRequest } from "../../../tests/kit/judged.ts";
import { type Signer, signedToken, signer, type TokenMembers } from "../../../tests/kit/signed-token.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import jwt from "../checks/jwt.ts";

/* ── keys and tokens ─────────────────────────────────────────────────────────────────────────────────────────── */

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1_000;
let one: Signer;
let other: Signer;
beforeAll(async () => {
  [one, other] = [await signer("one"), await signer("other")];
});
const tokenOf = (by: Signer, more: Partial<TokenMembers> = {}): Promise<string> => signedToken(by, { issuedAt: SECONDS, ...more });

/* ── the services that are asked ─────────────────────────────────────────────────────────────────────────────── */

type Answers = (init: RequestInit) => unknown;
let services: Record<string, Answers>;
let asked: { readonly url: string; readonly init: RequestInit }[];
const fetch: Handles["fetch"] = async (url, init = {}) => {
  asked.push({ url: String(url), init });
  const answered = await services[String(url)]?.(init);
  return answered instanceof Response ? answered : Response.json(answered);
};
let check: ReturnType<typeof jwt>;
const A = "https://a.example.com/jwks";
const B = "https://b.example.com/jwks";
beforeEach(() => {
  asked = [];
  services = { [A]: () => ({ keys: [one.jwk] }), [B]: () => ({ keys: [other.jwk] }) };
  check = jwt({ fetch });
});

const judged = (token: string | null, parameters: Json = {}, more: Judging & { headers?: Headers } = {}): Promise<JudgedByOne> =>
  judgedRequest(
    check,
    { model: "m", messages: [] },
    {
      now: NOW,
      ...more,
      parameters: { jwksUri: A, headerKey: "x-user-token", ...parameters },
      headers: more.headers ?? new Headers(token === null ? {} : { "x-user-token": `Bearer ${token}` }),
    },
  );
const explanationOf = ({ check: { data } }: JudgedByOne): unknown => (data as { explanation?: unknown }).explanation;
const outcome = (of: JudgedByOne): unknown => (of.denied ? (of.check.error?.name ?? explanationOf(of)) : "passes");

/* ── signatures ──────────────────────────────────────────────────────────────────────────────────────────────── */

describe("a token's signature", () => {
  test(verifies("2.6.jwt", "is made by a key of any of the addresses, which are asked at once and once"), async () => {
    const first = Promise.withResolvers<void>();
    services = {
      ...services,
      [A]: () => first.promise.then(() => ({ keys: [one.jwk] })),
      [B]: () => {
        first.resolve();
        return { keys: [other.jwk] };
      },
    };
    const both = { jwksUri: `${A}, ${B}` };
    expect(await judged(await tokenOf(other), both)).toMatchObject({ denied: false, check: { data: { verdict: true } } });
    expect(outcome(await judged(await tokenOf(one), both))).toBe("passes");
    expect(asked.map(({ url }) => url).sort()).toEqual([A, B]);
  });
  test("is made by a key that stands in the parameters, and the token may be alone in its header", async () => {
    const headers = new Headers({ "x-user-token": await tokenOf(one) });
    const found = await judgedRequest(
      check,
      {},
      { now: NOW, headers, parameters: { jwks: { keys: [one.jwk] }, headerKey: "x-user-token" } },
    );
    expect([found.denied, asked]).toEqual([false, []]);
  });
  test("is found among keys without names, and with two issuers' keys of one name", async () => {
    const nameless = [one, other].map(({ key, jwk: { kid: _, ...jwk } }) => ({ key, jwk }));
    services[A] = () => ({ keys: nameless.map(({ jwk }) => jwk) });
    for (const each of nameless) expect(outcome(await judged(await tokenOf(each), { cacheMaxAge: 0 }))).toBe("passes");
    services = { [A]: () => ({ keys: [{ ...one.jwk, kid: "k" }] }), [B]: () => ({ keys: [{ ...other.jwk, kid: "k" }] }) };
    const token = await tokenOf({ ...other, jwk: { ...other.jwk, kid: "k" } });
    expect(outcome(await judged(token, { jwksUri: `${A},${B}`, cacheMaxAge: 0 }))).toBe("passes");
  });
  test("of somebody else, of no algorithm, or by a public key as a secret, is refused", async () => {
    const part = (json: Json): string => Buffer.from(JSON.stringify(json)).toString("base64url");
    const unsigned = `${part({ alg: "none" })}.${part({ sub: "ada", iat: SECONDS })}.`;
    const confused = await new SignJWT({ sub: "ada" })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .setIssuedAt(SECONDS)
      .sign(new TextEncoder().encode(JSON.stringify(one.jwk)));
    const forged = await tokenOf({ key: other.key, jwk: one.jwk });
    const [header, , signature] = (await tokenOf(one)).split(".");
    const changed = [header, part({ sub: "root", iat: SECONDS }), signature].join(".");
    for (const token of [unsigned, confused])
      expect(outcome(await judged(token))).toBe("The token is signed with an algorithm that is not allowed.");
    for (const token of [forged, changed]) expect(outcome(await judged(token))).toBe("The token's signature is not valid.");
    for (const token of ["nonsense", "a.b.c", `${"x".repeat(9_000)}.y.z`])
      expect(outcome(await judged(token))).toBe("The token is not a valid JWT.");
    expect(outcome(await judged("x".repeat(20_000)))).toBe("The token has more than 16384 characters.");
    expect(outcome(await judged(null))).toBe("The request has no token in the header x-user-token.");
  });
  test("algorithms that are none, or that share a secret, cannot be chosen", () => {
    for (const algorithm of ["none", "HS256", "HS512"]) expect(problemsOf(check, { jwksUri: A, algorithms: [algorithm] })).not.toEqual([]);
    expect(problemsOf(check, { jwksUri: A, algorithms: ["RS256", "ES256", "PS512", "EdDSA"] })).toEqual([]);
  });
});

/* ── keys that come and go ───────────────────────────────────────────────────────────────────────────────────── */

describe("keys", () => {
  test("are kept for cacheMaxAge, and asked for once however many wait", async () => {
    const token = await tokenOf(one);
    await Promise.all([1, 2, 3].map(() => judged(token)));
    expect(asked.length).toBe(1);
    await judged(token, { cacheMaxAge: 60 }, { now: NOW + 59_000 });
    expect(asked.length).toBe(1);
    await judged(token, { cacheMaxAge: 60 }, { now: NOW + 61_000 });
    expect(asked.length).toBe(2);
  });
  test("are fetched anew for a name that is not among them, and not for every name that somebody makes up", async () => {
    expect(outcome(await judged(await tokenOf(one)))).toBe("passes");
    services[A] = () => ({ keys: [other.jwk] });
    expect(outcome(await judged(await tokenOf(other)))).toBe("passes");
    expect(asked.length).toBe(2);
    const unknown = await tokenOf(one);
    for (let again = 0; again < 5; again += 1)
      expect(outcome(await judged(unknown))).toBe("The token names a key that is not among the keys.");
    expect(asked.length).toBe(2);
    await judged(unknown, {}, { now: NOW + 31_000 });
    expect(asked.length).toBe(3);
  });
  test("that cannot be had keep a denying guardrail shut, as an error; the other address's still count", async () => {
    for (const broken of [
      () => new Response("no", { status: 500 }),
      () => new Response("{"),
      () => ({ keys: "none" }),
      () => ({ keys: Array.from({ length: 101 }, () => one.jwk) }),
      () => new Response(" ".repeat(600_000)),
    ]) {
      services[A] = broken;
      const both = { jwksUri: `${A},${B}`, cacheMaxAge: 0 };
      expect(outcome(await judged(await tokenOf(one), both))).toBe("Authentication error");
      expect(outcome(await judged(await tokenOf(other), both))).toBe("passes");
      expect((await judged(await tokenOf(one), { ...both, failOnError: false })).denied).toBe(false);
    }
  });
  test("are asked for with the client's headers that were named, and kept for those alone", async () => {
    const headers = async (tenant: string) => new Headers({ "x-user-token": await tokenOf(one), "x-tenant": tenant, "x-other": "1" });
    for (const tenant of ["a", "b", "a"]) await judged(null, { forwardHeaders: ["x-tenant"] }, { headers: await headers(tenant) });
    expect(asked.map(({ init }) => new Headers(init.headers).get("x-tenant"))).toEqual(["a", "b"]);
    expect(new Headers(asked[0]?.init.headers).get("x-other")).toBeNull();
  });
  test("are not waited for by who has left, and who waits still gets them", async () => {
    const answers = Promise.withResolvers<void>();
    services[A] = () => answers.promise.then(() => ({ keys: [one.jwk] }));
    const gone = new AbortController();
    const token = await tokenOf(one);
    const [left, stays] = [judged(token, {}, { signal: gone.signal }), judged(token)];
    gone.abort();
    expect((await left).check.error?.name).toBe("Unavailable error");
    answers.resolve();
    expect(outcome(await stays)).toBe("passes");
    expect(asked.length).toBe(1);
  });
});

/* ── claims ──────────────────────────────────────────────────────────────────────────────────────────────────── */

describe("claims", () => {
  test("of time hold within the tolerance, and a token may not be too old", async () => {
    const at = (seconds: number): Json => ({ exp: SECONDS + seconds });
    expect(outcome(await judged(await tokenOf(one, { claims: at(-4) })))).toBe("passes");
    expect(outcome(await judged(await tokenOf(one, { claims: at(-6) })))).toBe("The token has expired.");
    expect(outcome(await judged(await tokenOf(one, { claims: at(-6) }), { clockTolerance: 10 }))).toBe("passes");
    expect(outcome(await judged(await tokenOf(one, { claims: { nbf: SECONDS + 60 } })))).toBe(
      "The token's claim nbf is not as it must be.",
    );
    const old = await tokenOf(one, { issuedAt: SECONDS - 90_000 });
    expect(outcome(await judged(old))).toBe("The token has expired.");
    expect(outcome(await judged(old, { maxTokenAge: "2d" }))).toBe("passes");
  });
  test("that are required are there", async () => {
    const token = await tokenOf(one, { claims: { role: "x", empty: null } });
    expect(outcome(await judged(token, { requiredClaims: ["sub", "role"] }))).toBe("passes");
    for (const claim of ["team", "empty", "toString"])
      expect(outcome(await judged(token, { requiredClaims: [claim] }))).toBe(`The token has no claim ${claim}.`);
  });
  test("have one of the values, by each way to compare", async () => {
    const token = await tokenOf(one, {
      claims: { role: "admin", level: 3, groups: ["a", "b"], scope: "read write", mail: "x@acme.example" },
    });
    const fits = async (claim: string, values: unknown, matchType?: string) =>
      (await judged(token, { claimValues: { [claim]: { values, ...(matchType && { matchType }) } } })).denied === false;
    for (const [claim, values, matchType] of [
      ["role", ["user", "admin"], undefined],
      ["level", 3, "exact"],
      ["groups", ["b", "a"], "exact"],
      ["groups", ["z", "a"], "contains"],
      ["scope", "write", "contains"],
      ["groups", ["a", "b"], "containsAll"],
      ["mail", "@acme\\.example$", "regex"],
    ] as const)
      expect([claim, matchType, await fits(claim, values, matchType)]).toEqual([claim, matchType, true]);
    for (const [claim, values, matchType] of [
      ["role", ["adm"], "exact"],
      ["groups", ["a"], "exact"],
      ["groups", ["z"], "contains"],
      ["groups", ["a", "z"], "containsAll"],
      ["mail", "@other", "regex"],
      ["absent", "", "contains"],
    ] as const)
      expect([claim, matchType, await fits(claim, values, matchType)]).toEqual([claim, matchType, false]);
    const long = await tokenOf(one, { claims: { mail: "x".repeat(600) } });
    expect((await judged(long, { claimValues: { mail: { values: "x", matchType: "regex" } } })).denied).toBe(true);
  });
  test("are the same in the header where that is wanted", async () => {
    const token = await tokenOf(one, { claims: { tenant: { id: 1 } }, header: { tenant: { id: 1 }, sub: "eve" } });
    expect(outcome(await judged(token, { headerPayloadMatch: ["tenant"] }))).toBe("passes");
    for (const claim of ["sub", "absent"])
      expect(outcome(await judged(token, { headerPayloadMatch: [claim] }))).toBe(
        `The token's header and its payload do not say the same as ${claim}.`,
      );
  });
  test("become headers of the request, in the place of what the client wrote there", async () => {
    const headers = new Headers({
      "x-user-token": await tokenOf(one, { claims: { name: "Zoë", groups: ["a", "b"], long: "x".repeat(5_000) } }),
      "x-jwt-sub": "root",
      "x-jwt-role": "admin",
    });
    const extractClaims = ["sub", "name", "groups", "role", "long"];
    const { call, denied } = await judged(null, { extractClaims }, { headers });
    const of = (claim: string) => call.headers.get(`x-jwt-${claim}`);
    expect([denied, ...extractClaims.map(of)]).toEqual([false, "ada", "Zo%C3%AB", '["a","b"]', null, null]);
    const { call: named } = await judged(null, { extractClaims: ["sub"], claimPrefix: "X-User-" }, { headers });
    expect([named.headers.get("x-user-sub"), named.headers.get("x-jwt-sub")]).toEqual(["ada", "root"]);
  });
});
