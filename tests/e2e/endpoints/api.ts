/** What the endpoint tests share: a gateway, a replayed provider it may call, and short ways to ask. */
import { afterAll, beforeAll, expect } from "bun:test";
import { type ReplayServer, replayServer } from "../../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../process.ts";

export type Json = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

export interface Api {
  readonly gateway: GatewayProcess;
  readonly upstream: ReplayServer;
  /** Headers that send a data-plane request to the replayed provider, as `openai`. */
  readonly replayed: Headers;
  /** Control and admin planes, with the admin key unless told otherwise. */
  admin(method: string, path: string, body?: Json, key?: string): Promise<Answer>;
  /** Data plane with the first gateway key. */
  data(method: string, path: string, headers?: Headers, body?: Json): Promise<Answer>;
}

export const SANDBOX: Headers = { "x-gateway-provider": "sandbox" };
export const OPENAI_KEY = "sk-provider-key-of-these-tests";

/** One gateway for all tests of a file. */
export function forAll(env: Readonly<Record<string, string>> = {}): Api {
  let upstream: ReplayServer;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    upstream = replayServer();
    gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host, ...env } });
  }, 30_000);
  afterAll(async () => {
    await gateway.stop();
    gateway.remove();
    await upstream.close();
  });
  return {
    get gateway() {
      return gateway;
    },
    get upstream() {
      return upstream;
    },
    get replayed() {
      return { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: `Bearer ${OPENAI_KEY}` };
    },
    admin: (method, path, body, key = ADMIN_KEY) => ask(gateway.base + path, method, key, body),
    data: (method, path, headers = {}, body) => ask(gateway.base + path, method, GATEWAY_KEY, body, headers),
  };
}

/** The answer's body, after its status was as expected. */
export function bodyOf(answer: Answer, status = 200): Json {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  return answer.json;
}
/** The items of a list. */
export const itemsOf = (answer: Answer): readonly Json[] => {
  const { data } = bodyOf(answer);
  expect(data).toBeArray();
  return data as readonly Json[]; // by the line above, and judged item by item
};
/** The value at a path, whatever it is. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, member) =>
      typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string | number, unknown>>)[member] : undefined,
    value,
  );

/** An error in its documented form, which on the control and admin planes has a code of its own. */
export function expectError(answer: Answer, status: number, code: string | null = null): void {
  const error = (at(bodyOf(answer, status), "error") ?? {}) as Json;
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(error).toEqual({
    type: expect.any(String),
    message: expect.stringMatching(/.{10,}/),
    param: textOrNull(error["param"]),
    code: code ?? textOrNull(error["code"]),
  });
}
const textOrNull = (value: unknown): unknown => (value === null ? null : expect.any(String));

export const UUID: unknown = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const ISO: unknown = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
export const NOBODY = "00000000-0000-4000-8000-00000000dead";

/** A new key's secret. */
export async function newKey(api: Api, body: Json, path = "/v2/api-keys/service"): Promise<string> {
  return String(
    bodyOf(
      await api.admin("POST", path, {
        name: "a key",
        workspace_id: "default",
        scopes: ["completions.write", "models.list", "logs.view"],
        ...body,
      }),
    )["key"],
  );
}

/** Somebody new, who is a member of the default workspace. */
export async function newUser(api: Api): Promise<string> {
  const invite = { email: `${crypto.randomUUID()}@example.org`, role: "member", workspaces: [{ id: "default", role: "manager" }] };
  const { pathname, search } = new URL(String(bodyOf(await api.admin("POST", "/v2/admin/users/invites", invite))["invite_link"]));
  return String(bodyOf(await api.admin("POST", pathname + search, { first_name: "Ada", last_name: "L" }))["id"]);
}

/** A chat completion with any key. */
export const chatWith = (api: Api, key: string, body: Json = {}, headers: Headers = SANDBOX): Promise<Answer> =>
  ask(
    `${api.gateway.base}/v1/chat/completions`,
    "POST",
    key,
    { model: "echo", messages: [{ role: "user", content: "Hello" }], ...body },
    headers,
  );

/** The log record of the answer that carried this trace id, by the id the gateway gave the request. */
export const logOf = (api: Api, id: string, query = "", key = ADMIN_KEY): Promise<Json> =>
  until(`the log ${id} is written`, async () => {
    const answer = await ask(`${api.gateway.base}/v1/logs/${id}${query}`, "GET", key);
    return answer.status === 200 ? answer.json : undefined;
  });
