/**
 * What runs is what was authorised: of a path in any spelling, the scope that is judged is the scope of the route that
 * the path leads to, and a provider is asked for that path.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type ReplayServer, replayServer } from "../kit/replay.ts";
import { ADMIN_KEY, ask as askJson, type GatewayProcess, GATEWAY_KEY, startGateway } from "./process.ts";
import { type Answered, type Api, ask, type RawRequest, HOSTS, MUTATIONS, pickOf, protectedRoutes, SEED } from "./spellings.ts";

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

interface JudgedScope {
  readonly scope: string;
  readonly action: string;
}
/** The route a path leads to, by the API's own description and the web's rules for URLs: written apart from the router. */
interface Reference {
  readonly path: string;
  readonly search: string;
  readonly scopes: readonly string[];
}
type Find = (asked: RawRequest) => Reference | undefined;

async function references(): Promise<Find> {
  const { paths } = (await (await fetch(`${gateway.base}/openapi.json`)).json()) as Api;
  /** The kinds of keys are shown one by one; the route takes any word there, and refuses what is none. */
  const asRouted = (path: string): string => path.replace(/^(\/v2\/api-keys(?:\/\w+)?)\/(?:service|user)$/, "$1/{sub-type}");
  const rows = Object.entries(paths)
    .map(([shown, methods]) => [asRouted(shown), methods] as const)
    .map(([path, methods]) => ({
      pattern: new RegExp(
        `^${path
          .replace(/[.]/g, "\\.")
          .replace(/\{model\}$/, ".+")
          .replace(/\{[^}]+\}/g, "[^/]+")}/?$`,
      ), // models' names may hold slashes
      literal: !path.includes("{"),
      methods: methods as Readonly<Record<string, { readonly "x-scopes"?: readonly string[] }>>,
    }));
  const ordered = rows.toSorted((a, b) => Number(b.literal) - Number(a.literal));
  return ({ method, target }) => {
    const asked = target.replace(/^https?:\/\/[^/]*/i, ""); // of an absolute form, its path
    if (!asked.startsWith("/")) return undefined;
    const { pathname, search } = new URL(`http://gateway.example${asked}`);
    const row = ordered.find(({ pattern, methods }) => pattern.test(pathname) && methods[method === "HEAD" ? "get" : method.toLowerCase()]);
    const scopes = row?.methods[method === "HEAD" ? "get" : method.toLowerCase()]?.["x-scopes"];
    return scopes && { path: pathname, search, scopes };
  };
}

const LACKS = /The key lacks the scope ([^,]+), which (.+?) needs\./;
const judgedIn = ({ body }: Answered): JudgedScope | undefined => {
  const [, scope, action] = LACKS.exec(body) ?? [];
  return scope === undefined || action === undefined ? undefined : { scope, action };
};

/** What came of one request: what was judged by a key that may do nothing, and what a provider was asked by one that may. */
interface Seen {
  readonly judged: JudgedScope | undefined;
  readonly reference: Reference | undefined;
  /** The path a provider was asked, where one was. */
  readonly sent: string | undefined;
  readonly status: number;
}
const isJudgedRight = ({ judged, reference }: Seen): boolean =>
  judged === undefined || (reference?.scopes.includes(judged.scope.split(" or ")[0] ?? "") ?? false);
/** A name in a path may be encoded on its way, and the output of a batch is asked for where the batch says that it is. */
const isSentRight = ({ judged, reference, sent }: Seen): boolean =>
  sent === undefined || leadsTo(sent, reference) || (judged?.action === "getBatchOutput" && leadsTo(`${sent}/output`, reference));
const leadsTo = (sent: string, reference: Reference | undefined): boolean =>
  [sent, `${sent}/`].some((path) => path === reference?.path || plain(path) === plain(reference?.path ?? ""));
function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

test.each(["/v1/models#x", "/v1/responses/#a/input_items", "/healthz#", "/v1/models?limit=1#/v2/configs"])(
  "a target with a fragment (%s) leads nowhere: two readers would find two paths in it",
  async (target) => {
    const { status, body } = await ask(gateway.port, { method: "GET", target, host: "a", headers: [`x-gateway-api-key: ${GATEWAY_KEY}`] });
    expect({ target, status, body }).toMatchObject({ status: 400, body: expect.stringContaining("%23") });
  },
);

describe("with a key", () => {
  const METHODS = ["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];
  /** Values of path parameters that hold more than they should. */
  const PARAMETERS = ["x", "a%2fb", "..%2fx", "%2e%2e", "a;b", "%252f", "a%5cb", "healthz", "configs", "%00", "a%20b"];
  let find: Find;
  let powerless: readonly string[];
  const able = (): readonly string[] => [
    `x-gateway-api-key: ${GATEWAY_KEY}`,
    "authorization: Bearer k",
    "x-gateway-provider: openai",
    `x-gateway-custom-host: ${upstream.url}/v1`,
  ];
  beforeAll(async () => {
    find = await references();
    const body = { name: "powerless", workspace_id: "default", scopes: ["agents.invoke"] };
    const made = await askJson(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, body);
    powerless = [`x-gateway-api-key: ${String(made.json["key"])}`];
  });

  let marks = 0;
  /** The same request by a key that may; a search of its own finds what it asked of the provider. */
  async function sentBy(request: RawRequest): Promise<string | undefined> {
    const mark = `mark=${++marks}`;
    const target = request.target.replace(/#.*$/, "");
    await ask(gateway.port, { ...request, target: `${target}${target.includes("?") ? "&" : "?"}${mark}`, headers: able() });
    const sent = upstream.received.find(({ path }) => path.endsWith(mark));
    return sent && new URL(sent.path, upstream.url).pathname;
  }
  async function seenOf(request: RawRequest): Promise<Seen> {
    const answered = await ask(gateway.port, { ...request, headers: powerless });
    const judged = judgedIn(answered);
    const reference = find(request);
    const isOperation = judged !== undefined && !judged.action.includes(" "); // a plain route's is its method and path
    const goesOn = isOperation && request.method === "GET" && reference?.path.startsWith("/v1/");
    return { judged, reference, sent: goesOn ? await sentBy(request) : undefined, status: answered.status };
  }

  test("the scope that is judged is that of the route the path leads to, and that route is what runs: 5000 of them", async () => {
    const routes = await protectedRoutes(gateway.base);
    const pick = pickOf(SEED + 1);
    const asked = Array.from({ length: 5_000 }, (): RawRequest => {
      const [method, path] = pick(routes);
      const filled = path.replace(/\/x(?=\/|$)/g, () => `/${pick(PARAMETERS)}`);
      const mutations = Array.from({ length: pick([0, 0, 1, 1, 2]) }, () => pick(MUTATIONS));
      const target = mutations.reduce((mutated, mutate) => mutate(mutated, pick), filled).replace(/\s/g, "");
      return {
        method: pick([method, method, method, pick(METHODS)]),
        target,
        host: pick([pick(HOSTS), "gateway.example", "a", "[::1]:80"]),
      };
    });
    const seen: (RawRequest & Seen)[] = [];
    const rest = asked[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = rest.next(); !next.done; next = rest.next()) seen.push({ ...next.value, ...(await seenOf(next.value)) });
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(seen.filter((one) => one.status >= 500 || !isJudgedRight(one) || !isSentRight(one))).toEqual([]);
    expect(seen.filter(({ judged }) => judged).length).toBeGreaterThan(1_000);
    expect(seen.filter(({ sent }) => sent !== undefined).length).toBeGreaterThan(50);
  }, 60_000);
});
