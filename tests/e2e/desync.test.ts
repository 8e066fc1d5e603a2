/**
 * What is routed is the path, as it was asked for: no spelling of path or Host opens a protected route to somebody
 * without a key, and none makes one route look like another.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { jsonAnswer, type ReplayServer, replayServer } from "../kit/replay.ts";
import { ADMIN_KEY, ask as askJson, type GatewayProcess, GATEWAY_KEY, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let upstream: ReplayServer;
beforeAll(async () => {
  upstream = replayServer(jsonAnswer({ object: "list", data: [] }));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers?: readonly string[];
}
interface Answered {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly body: string;
}
function ask({ method, target, host, headers = [] }: Asked): Promise<Answered> {
  return new Promise((resolve) => {
    let text = "";
    const done = (): void =>
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), body: text.slice(text.indexOf("\r\n\r\n") + 4) });
    const socket = connect(gateway.port, "127.0.0.1", () =>
      socket.write(
        `${[`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "Content-Length: 0", "Connection: close"].join("\r\n")}\r\n\r\n`,
      ),
    );
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
    });
    socket.on("close", done);
    socket.on("error", done);
  });
}

interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
const PUBLIC = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"];
/** Every protected route, parameters filled in. */
async function protectedRoutes(): Promise<readonly (readonly [method: string, path: string])[]> {
  const { paths } = (await (await fetch(`${gateway.base}/openapi.json`)).json()) as Api;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{[^}]+\}/g, "x")] as const),
  );
  return all.filter(([, path]) => !PUBLIC.includes(path));
}

/* ── seeded mutations ────────────────────────────────────────────────────────────────────────────────────────── */

const SEED = 20_260_101;
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
type Pick = <T>(from: readonly T[]) => T;
const HOSTS = [
  "gateway.example",
  "a",
  "gw",
  "abc",
  "127.0.0.1",
  "[::1]",
  "",
  "a/",
  "a/healthz?",
  "a/healthz#",
  "healthz",
  "x/docs/..",
  "a?x=/healthz",
  "a#/healthz",
  "user@healthz",
  "a@b/healthz",
  "a\\healthz",
  "a:80/healthz?",
  "a%2fhealthz",
  "a;healthz",
  "x/v1/models?",
  "..",
  "a b",
  "a\tb",
];
/** What is done to a path; several are done to one. */
const MUTATIONS: readonly ((path: string, pick: Pick) => string)[] = [
  (path) => path,
  (path) => path.replace("/", "//"),
  (path, pick) =>
    insert(
      path,
      pick([
        "/",
        "//",
        "/./",
        "/../",
        ";",
        ";x=1",
        "%2f",
        "%2F",
        "%5c",
        "\\",
        "%2e",
        "%2e%2e/",
        "..;/",
        "%00",
        "%0d%0a",
        "%20",
        "%23",
        "%3f",
        "?",
        "#",
        "&",
        "%252f",
        "%c0%af",
        "+",
        "~",
      ]),
      pick,
    ),
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path, pick) =>
    path
      .split("")
      .map((letter) => (pick([true, false]) ? letter.toUpperCase() : letter))
      .join(""),
  (path, pick) => path.replaceAll("/", pick(["%2f", "%5c", "\\", "/./", "//"])),
  (path, pick) => encodeOne(path, pick),
  (path, pick) => pick(PUBLIC) + pick(["/..", "/%2e%2e", "/..;", ";/..", "%2f..", "//..", "/../."]) + path,
  (path, pick) =>
    path +
    pick(["/../", ";", "?", "#", "/.", "/..", "%2f..", "/%2e%2e/", ".json", "/healthz", "?/../healthz", ";/../docs"]) +
    pick(["", "healthz", "docs", "x"]),
  (path, pick) =>
    pick(["http://", "https://", "HTTP://", "http:/", "//", "ftp://"]) +
    pick(["evil.example", "a", "gw", "127.0.0.1", "user@a", "a#b", ""]) +
    path,
  (path, pick) => pick(["/a", "/ab", "/abc", "/x/y", "/v1", "/v2", "/admin"]) + path,
];
const insert = (path: string, what: string, pick: Pick): string => {
  const at = pick([...path].map((_, index) => index));
  return path.slice(0, at) + what + path.slice(at);
};
const encodeOne = (path: string, pick: Pick): string => {
  const at = pick([...path].map((_, index) => index));
  return `${path.slice(0, at)}%${path.charCodeAt(at).toString(16)}${path.slice(at + 1)}`;
};

describe("without a key", () => {
  test("no spelling of path and Host answers a protected route: 1000 of them", async () => {
    const routes = await protectedRoutes();
    expect(routes.length).toBeGreaterThan(20);
    const open = new Set(
      await Promise.all(["/healthz", "/readyz", "/openapi.json", "/docs"].map(async (path) => (await fetch(gateway.base + path)).text())),
    );
    const random = randomOf(SEED);
    const pick: Pick = (from) => from[Math.floor(random() * from.length)] as (typeof from)[number]; // an index within the list
    const asked: Asked[] = Array.from({ length: 1_000 }, () => {
      const [method, path] = pick(routes);
      const target = Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(MUTATIONS)).reduce(
        (mutated, mutate) => mutate(mutated, pick),
        path,
      );
      return { method, target: target.replace(/\s/g, ""), host: pick(HOSTS) };
    });
    const opened: (Asked & Answered)[] = [];
    const rest = asked[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let next = rest.next(); !next.done; next = rest.next()) {
          const answered = await ask(next.value);
          const isOpen = open.has(answered.body) || answered.body.startsWith("# HELP gateway_");
          if (answered.status !== 0 && answered.status < 400 && !isOpen) opened.push({ ...next.value, ...answered });
          if (answered.status >= 500) opened.push({ ...next.value, ...answered }); // nor does one break anything
        }
      }),
    );
    expect(opened).toEqual([]);
    expect((await ask({ method: "GET", target: "/healthz", host: "gateway.example" })).status).toBe(200);
  }, 30_000);
  test("every protected route is a 401 as it is written", async () => {
    for (const [method, path] of await protectedRoutes())
      expect({ method, path, ...(await ask({ method, target: path, host: "gateway.example" })) }).toMatchObject({
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
        ROUTES.map(async ([target]) => [target, (await ask({ method: "GET", target, host, headers: KEY })).status] as const),
      );
      expect(seen).toEqual([...ROUTES]);
    },
  );
  test.each(["a/healthz?", "a#b", "a b/", "x/docs?"])("is not the Host's: %s", async (host) => {
    const { status, body } = await ask({ method: "GET", target: "/v1/models", host });
    expect({ host, status: [400, 401].includes(status), healthy: body.includes('"ok"') }).toEqual({ host, status: true, healthy: false });
  });
  test.each([
    ["http://evil.example/v1/models", 200],
    ["http://a/v1/models", 200],
    ["http://a/healthz", 200],
    ["http://evil.example/a/v1/models", 404],
  ])("of an absolute form is its path: %s", async (target, status) => {
    expect({ target, status: (await ask({ method: "GET", target, host: "gateway.example", headers: KEY })).status }).toEqual({
      target,
      status,
    });
  });
});

/* ── what runs is what was authorised ────────────────────────────────────────────────────────────────────────── */

interface Judged {
  readonly scope: string;
  readonly action: string;
}
/** The route a path leads to, by the API's own description and the web's rules for URLs: written apart from the router. */
interface Reference {
  readonly path: string;
  readonly search: string;
  readonly scopes: readonly string[];
}
type Find = (asked: Asked) => Reference | undefined;

async function references(): Promise<Find> {
  const { paths } = (await (await fetch(`${gateway.base}/openapi.json`)).json()) as Api;
  const rows = Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{[^}]+\}/g, "[^/]+")}/?$`),
    literal: !path.includes("{"),
    methods: methods as Readonly<Record<string, { readonly "x-scopes"?: readonly string[] }>>,
  }));
  const ordered = rows.toSorted((a, b) => Number(b.literal) - Number(a.literal));
  return ({ method, target }) => {
    const { pathname, search } = new URL(`http://gateway.example${target.replace(/^https?:\/\/[^/]*/i, "")}`); // of an absolute form, its path
    const row = ordered.find(({ pattern, methods }) => pattern.test(pathname) && methods[method === "HEAD" ? "get" : method.toLowerCase()]);
    const scopes = row?.methods[method === "HEAD" ? "get" : method.toLowerCase()]?.["x-scopes"];
    return scopes && { path: pathname, search, scopes };
  };
}

const LACKS = /The key lacks the scope ([^,]+), which (.+?) needs\./;
const judgedIn = ({ body }: Answered): Judged | undefined => {
  const [, scope, action] = LACKS.exec(body) ?? [];
  return scope === undefined || action === undefined ? undefined : { scope, action };
};

describe("with a key", () => {
  const METHODS = ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];
  /** Written out, and the same with parameters that hold more than they should. */
  const PARAMETERS = ["x", "a%2fb", "..%2fx", "%2e%2e", "a;b", "%252f", "a%5cb", "healthz", "configs", "%00", "a%20b"];

  test("the scope that is judged is the scope of the route that the path leads to, and that route is what runs: 5000 of them", async () => {
    const find = await references();
    const routes = await protectedRoutes();
    const made = await askJson(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, {
      name: "powerless",
      workspace_id: "default",
      scopes: ["agents.invoke"],
    });
    const powerless = [`x-gateway-api-key: ${String(made.json["key"])}`];
    const able = [
      `x-gateway-api-key: ${GATEWAY_KEY}`,
      "authorization: Bearer k",
      "x-gateway-provider: openai",
      `x-gateway-custom-host: ${upstream.url}/v1`,
    ];
    const random = randomOf(SEED + 1);
    const pick: Pick = (from) => from[Math.floor(random() * from.length)] as (typeof from)[number]; // an index within the list
    const asked = Array.from({ length: 5_000 }, (): Asked => {
      const [method, path] = pick(routes);
      const filled = path.replace(/\/x(?=\/|$)/g, () => `/${pick(PARAMETERS)}`);
      const target = Array.from({ length: pick([0, 0, 1, 1, 2]) }, () => pick(MUTATIONS)).reduce(
        (mutated, mutate) => mutate(mutated, pick),
        filled,
      );
      return {
        method: pick([method, method, method, pick(METHODS)]),
        target: target.replace(/\s/g, ""),
        host: pick([pick(HOSTS), "gateway.example", "a", "[::1]:80"]),
        headers: powerless,
      };
    });
    const wrong: unknown[] = [];
    let judgedCount = 0;
    let ran = 0;
    const rest = asked[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = rest.next(); !next.done; next = rest.next()) {
        const request = next.value;
        const answered = await ask(request);
        if (answered.status >= 500) wrong.push({ ...request, ...answered });
        const judged = judgedIn(answered);
        if (judged === undefined) continue;
        judgedCount += 1;
        const reference = find(request);
        if (!reference?.scopes.includes(judged.scope.split(" or ")[0] ?? "")) wrong.push({ ...request, judged, reference });
        if (reference === undefined || request.method !== "GET" || !reference.path.startsWith("/v1/") || judged.action.includes(" "))
          continue;
        // A search of its own finds what this very request asked of the provider.
        const mark = `mark=${++ran}`;
        const target = request.target.replace(/#.*$/, "");
        await ask({ ...request, target: `${target}${target.includes("?") ? "&" : "?"}${mark}`, headers: able });
        const sent = upstream.received.find(({ path }) => path.endsWith(mark));
        if (
          sent &&
          new URL(sent.path, upstream.url).pathname !== reference.path.replace(/\/$/, "") &&
          new URL(sent.path, upstream.url).pathname !== reference.path
        )
          wrong.push({ ...request, judged, reference, sent: sent.path });
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(wrong).toEqual([]);
    expect({ judged: judgedCount > 1_000, ran: ran > 100, sent: upstream.received.length > 50 }).toEqual({
      judged: true,
      ran: true,
      sent: true,
    });
  }, 60_000);
});

describe("a Host", () => {
  const KEY = [`x-gateway-api-key: ${GATEWAY_KEY}`, "x-gateway-provider: sandbox"];
  /** A request with exactly these header lines. */
  const withHosts = (target: string, lines: readonly string[], version = "1.1"): Promise<Answered> =>
    new Promise((resolve) => {
      let text = "";
      const socket = connect(gateway.port, "127.0.0.1", () =>
        socket.write(
          `${[`GET ${target} HTTP/${version}`, ...lines, ...KEY, "Content-Length: 0", "Connection: close"].join("\r\n")}\r\n\r\n`,
        ),
      );
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
      });
      const done = (): void =>
        resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), body: text.slice(text.indexOf("\r\n\r\n") + 4) });
      socket.on("close", done);
      socket.on("error", done);
    });
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
