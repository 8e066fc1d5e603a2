/** Whose an id is, over real sockets and real stores: after a restart, after a new key, and while the store is away. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { isSkip, ownPostgres } from "../servers/index.ts";
import { at, bodyOf, itemsOf } from "./endpoints/api.ts";
import { plantTenant } from "./endpoints/tenant.ts";
import { ADMIN_KEY, ask, chat, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

/** A provider that knows credentials, and no workspaces. */
const files = new Map<string, object>();
const shown = (id: string): object => ({
  id,
  object: "file",
  bytes: 1,
  created_at: 1,
  filename: "a",
  purpose: "batch",
  status: "processed",
});
function provider({ method, path }: Received) {
  const { pathname, searchParams } = new URL(path, "http://provider");
  const [, , , id = ""] = pathname.split("/");
  if (method === "POST") {
    const made = `file-${files.size + 1}`;
    files.set(made, shown(made));
    return jsonAnswer(shown(made));
  }
  if (id === "") return pageAfter(searchParams.get("after"), Number(searchParams.get("limit") ?? 100));
  return files.has(id) ? jsonAnswer(shown(id)) : jsonAnswer({ error: { message: `No such File object: ${id}` } }, { status: 404 });
}
function pageAfter(after: string | null, limit: number) {
  const ids = [...files.keys()];
  const from = after === null ? 0 : ids.indexOf(after) + 1;
  const data = ids.slice(from, from + limit).map(shown);
  const ends = { first_id: ids[from] ?? null, last_id: ids[from + data.length - 1] ?? null };
  return jsonAnswer({ object: "list", data, ...ends, has_more: from + limit < ids.length });
}

let upstream: ReplayServer;
let gateway: GatewayProcess;
let otherKey: string;
let otherId: string;
const env = () => ({ GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host });
const admin = async (method: string, path: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
  const answer = await ask(gateway.base + path, method, ADMIN_KEY, body);
  expect({ text: answer.text, status: answer.status }).toMatchObject({ status: 200 });
};
const clientOf = (key: string, headers: Record<string, string> = { "x-gateway-provider": "@shared" }): OpenAI =>
  new OpenAI({ apiKey: "unused", baseURL: `${gateway.base}/v1`, maxRetries: 0, defaultHeaders: { "x-gateway-api-key": key, ...headers } });
const upload = async (client: OpenAI): Promise<string> =>
  (await client.files.create({ file: await toFile(Buffer.from("{}"), "a"), purpose: "batch" })).id;
const statusOf = (client: OpenAI, id: string): Promise<unknown> =>
  client.files.retrieve(id).then(
    () => 200,
    (thrown: unknown) => (thrown as { status?: number }).status,
  );
const restart = async (): Promise<void> => {
  await gateway.stop();
  gateway = await startGateway({ env: env(), dataDir: gateway.dataDir });
};

beforeAll(async () => {
  upstream = replayServer(provider);
  gateway = await startGateway({ env: env() });
  const keys = itemsOf(await ask(`${gateway.base}/v2/api-keys`, "GET", ADMIN_KEY));
  const organisationId = String(keys[0]?.["organisation_id"]);
  const other = await plantTenant({ dataDir: gateway.dataDir, organisationId, slug: "second" });
  otherKey = other.gatewayKey;
  otherId = other.workspaceId;
  await admin("POST", "/admin/v2/integrations", {
    ...{ name: "shared", slug: "shared", ai_provider_id: "openai", key: "sk-of-both-0123456789", create_default_provider: false },
    configurations: { custom_host: `${upstream.url}/v1` },
  });
  for (const workspace_id of ["default", otherId])
    await admin("POST", "/v2/providers", { name: "shared", slug: "shared", workspace_id, integration_id: "shared" });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

describe("two workspaces on one integration", () => {
  test("do not see each other's files; the provider is not even asked", async () => {
    const id = await upload(clientOf(GATEWAY_KEY));
    expect(await statusOf(clientOf(GATEWAY_KEY), id)).toBe(200);
    const before = upstream.received.length;
    expect(await statusOf(clientOf(otherKey), id)).toBe(404);
    expect(upstream.received.length).toBe(before);
    const refused = await ask(`${gateway.base}/v1/files/${id}`, "GET", otherKey, undefined, { "x-gateway-provider": "@shared" });
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining(id), type: "invalid_request_error" } });
  });
  test("page through their own, past pages that hold nothing of theirs", async () => {
    const mine = [await upload(clientOf(otherKey))];
    for (let count = 0; count < 5; count += 1) await upload(clientOf(GATEWAY_KEY));
    mine.push(await upload(clientOf(otherKey)));
    const listed = [];
    for await (const { id } of clientOf(otherKey).files.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(mine);
  });
  test(verifies("D7.owned.kept", "after a restart too, and with a new key of the integration"), async () => {
    const id = await upload(clientOf(GATEWAY_KEY));
    await restart();
    expect([await statusOf(clientOf(GATEWAY_KEY), id), await statusOf(clientOf(otherKey), id)]).toEqual([200, 404]);
    const body = { key: "sk-of-both-renewed-0123456789", configurations: { custom_host: `${upstream.url}/v1` } };
    await admin("PUT", "/admin/v2/integrations/shared", body);
    expect([await statusOf(clientOf(GATEWAY_KEY), id), await statusOf(clientOf(otherKey), id)]).toEqual([200, 404]);
    expect(upstream.received.at(-1)?.headers.get("authorization")).toBe("Bearer sk-of-both-renewed-0123456789");
    await restart();
    expect([await statusOf(clientOf(GATEWAY_KEY), id), await statusOf(clientOf(otherKey), id)]).toEqual([200, 404]);
  });
  test("one that a saved config calls with the same key, too", async () => {
    const target = { provider: "openai", api_key: "sk-in-a-config-0123456789", custom_host: `${upstream.url}/v1` };
    const made = await ask(`${gateway.base}/v2/configs`, "POST", ADMIN_KEY, { name: "kept", workspace_id: "default", config: target });
    const config = String(at(bodyOf(made), "data", "slug"));
    const byConfig = clientOf(GATEWAY_KEY, { "x-gateway-config": config });
    const elsewhere = "file-1"; // nobody recorded it for this credential
    expect(await statusOf(byConfig, elsewhere)).toBe(200);
    await admin("POST", "/admin/v2/integrations", {
      ...{ name: "again", slug: "again", ai_provider_id: "openai", key: target.api_key, create_default_provider: false },
      configurations: { custom_host: target.custom_host },
    });
    await admin("POST", "/v2/providers", { name: "again", slug: "again", workspace_id: otherId, integration_id: "again" });
    await until("the second user of the key is seen", async () => (await statusOf(byConfig, elsewhere)) === 404);
    const id = await upload(byConfig);
    expect([await statusOf(byConfig, id), await statusOf(clientOf(otherKey, { "x-gateway-provider": "@again" }), id)]).toEqual([200, 404]);
  });
});
test(verifies(
  "D7.owned.away",
  "while PostgreSQL is away, 503 is said of an id that was not asked for before, and its provider is not asked",
), async () => {
  const server = await ownPostgres();
  if (isSkip(server)) throw new Error(server.skip);
  const own = await startGateway({ env: { ...env(), DATABASE_URL: server.url } });
  try {
    const headers = { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: "Bearer sk-own" };
    const client = new OpenAI({
      apiKey: "sk-own",
      baseURL: `${own.base}/v1`,
      maxRetries: 0,
      defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
    });
    const id = await upload(client);
    expect((await client.files.list()).data.map((file) => file.id)).toContain(id);
    expect(await statusOf(client, id)).toBe(200);
    await server.stop();
    const before = upstream.received.length;
    expect(await statusOf(client, "file-2")).toBe(503);
    expect(upstream.received.length).toBe(before);
    expect(await statusOf(client, id)).toBe(200); // it is known
    expect((await chat(own, {})).status).toBe(200); // it names nothing, and nobody is asked
    expect(await upload(client).catch((thrown: unknown) => (thrown as { status?: number }).status)).toBe(503);
  } finally {
    await own.stop();
    own.remove();
    await server.remove();
  }
}, 60_000);
