/**
 * What is routed is one path, as the runtime resolved it: no spelling of path and Host opens a protected route to somebody
 * without a key, and none makes one route look like another.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayProcess, GATEWAY_KEY, startGateway } from "./process.ts";
import { type Answered, ask, type RawRequest, askRaw, HOSTS, MUTATIONS, pickOf, protectedRoutes, SEED } from "./spellings.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway();
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

describe("without a key", () => {
  test("no spelling of path and Host answers a protected route: 1000 of them", async () => {
    const routes = await protectedRoutes(gateway.base);
    expect(routes.length).toBeGreaterThan(20);
    const open = new Set(
      await Promise.all(["/healthz", "/readyz", "/openapi.json", "/docs"].map(async (path) => (await fetch(gateway.base + path)).text())),
    );
    const pick = pickOf(SEED);
    const asked: RawRequest[] = Array.from({ length: 1_000 }, () => {
      const [method, path] = pick(routes);
      const target = Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(MUTATIONS)).reduce(
        (mutated, mutate) => mutate(mutated, pick),
        path,
      );
      return { method, target: target.replace(/\s/g, ""), host: pick(HOSTS) };
    });
    const opened: (RawRequest & Answered)[] = [];
    const rest = asked[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let next = rest.next(); !next.done; next = rest.next()) {
          const answered = await ask(gateway.port, next.value);
          const isOpen = open.has(answered.body) || answered.body.startsWith("# HELP gateway_");
          if (answered.status !== 0 && answered.status < 400 && !isOpen) opened.push({ ...next.value, ...answered });
          if (answered.status >= 500) opened.push({ ...next.value, ...answered }); // nor does one break anything
        }
      }),
    );
    expect(opened).toEqual([]);
    expect((await ask(gateway.port, { method: "GET", target: "/healthz", host: "gateway.example" })).status).toBe(200);
  }, 30_000);
  test("every protected route is a 401 as it is written", async () => {
    for (const [method, path] of await protectedRoutes(gateway.base))
      expect({ method, path, ...(await ask(gateway.port, { method, target: path, host: "gateway.example" })) }).toMatchObject({
        method,
        path,
        status: 401,
      });
  });
});

describe("the route", () => {
  const KEY = [`x-gateway-api-key: ${GATEWAY_KEY}`, "x-gateway-provider: sandbox"];
  const ROUTES: readonly (readonly [target: string, status: number])[] = [
    ["/healthz", 200],
    ["/docs", 200],
    ["/v1/models", 200],
    ["/v1/batches?limit=1", 200],
    ["/v1/batches/nobody", 404],
    ["/nothing", 404],
    ["/a/v1/models", 404],
    ["/ab/v1/models", 404],
    ["/abc/v1/models", 404],
    ["/v1/models/", 200],
    ["/V1/models", 404],
    ["//v1/models", 404],
    ["/v1//models", 404],
    ["/v1;x/models", 404],
    ["/v1%2fmodels", 404],
    ["/v1/models;x=1", 404],
  ];

  test.each(["gateway.example", "a", "ab", "gw", "abc", "abcd", "a:1", "127.0.0.1", "[::1]:80"])(
    "is the path's alone, whatever the Host: %s",
    async (host) => {
      const seen = await Promise.all(
        ROUTES.map(async ([target]) => [target, (await ask(gateway.port, { method: "GET", target, host, headers: KEY })).status] as const),
      );
      expect(seen).toEqual([...ROUTES]);
    },
  );
  test.each(["a/healthz?", "a#b", "a b/", "x/docs?"])("is not the Host's: %s", async (host) => {
    const { status, body } = await ask(gateway.port, { method: "GET", target: "/v1/models", host });
    expect({ host, status: [400, 401].includes(status), healthy: body.includes('"ok"') }).toEqual({ host, status: true, healthy: false });
  });
  test.each([
    ["http://evil.example/v1/models", 200],
    ["http://a/v1/models", 200],
    ["http://a/healthz", 200],
    ["http://evil.example/a/v1/models", 404],
  ])("of an absolute form is its path: %s", async (target, status) => {
    expect({ target, status: (await ask(gateway.port, { method: "GET", target, host: "gateway.example", headers: KEY })).status }).toEqual({
      target,
      status,
    });
  });
});

describe("a Host", () => {
  const KEY = [`x-gateway-api-key: ${GATEWAY_KEY}`, "x-gateway-provider: sandbox"];
  /** A request with exactly these header lines. */
  const withHosts = (target: string, lines: readonly string[], version = "1.1"): Promise<Answered> =>
    askRaw(gateway.port, [`GET ${target} HTTP/${version}`, ...lines, ...KEY, "Content-Length: 0", "Connection: close"]);
  const TARGETS = ["/v1/models", "/v2/configs", "/healthz", "/readyz", "/openapi.json", "/nothing", "/v1/batches/x"];

  test.each([
    ["two", ["Host: a", "Host: b"]],
    ["two that are one", ["Host: a", "Host: a"]],
    ["a list", ["Host: a, b"]],
    ["a path", ["Host: a/b"]],
    ["a query", ["Host: a?b"]],
    ["spaces", ["Host: a b"]],
    ["a user", ["Host: user:pass@a b"]],
  ])("that is %s is 400, whatever is asked", async (_, lines) => {
    const seen = await Promise.all(TARGETS.map(async (target) => [target, (await withHosts(target, lines)).status] as const));
    expect(seen).toEqual(TARGETS.map((target) => [target, 400] as const));
  });
  test.each([
    ["HTTP/1.0 without one", [], "1.0"],
    ["one that is empty", ["Host: "], "1.1"],
  ])("%s is no matter: the path alone is routed", async (_, lines, version) => {
    const wanted = {
      "/v1/models": 200,
      "/healthz": 200,
      "/x/healthz": 404,
      "/v1/x/../models": 200,
      "/nothing": 404,
      "/admin/v2/plugins": 403,
    };
    for (const [target, status] of Object.entries(wanted))
      expect([target, (await withHosts(target, lines, version)).status]).toEqual([target, status]);
  });
  test.each([
    ["lengths that agree", ["Host: a", "Content-Length: 0"]],
    ["lengths that do not", ["Host: a", "Content-Length: 5"]],
    ["a length and an encoding", ["Host: a", "Transfer-Encoding: chunked"]],
    ["gateway keys", ["Host: a", "x-gateway-api-key: other"]],
  ])("is one, and so is what frames a message or says whose it is: two %s are 400", async (_, lines) => {
    expect((await withHosts("/v1/models", lines)).status).toBe(400);
  });
});
