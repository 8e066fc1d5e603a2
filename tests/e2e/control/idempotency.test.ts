/** The Idempotency-Key: a client that lost an answer asks again, and nothing is done twice. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isSkip, newDatabase, postgresServer } from "../../servers/index.ts";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, itemsOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, type GatewayProcess, startGateway } from "../process.ts";
import { type ControlPlane, errorOf, onBoth } from "./api.ts";

const KEYS = "/v2/api-keys/service";
const keyBody = (name: string): Json => ({ name, workspace_id: "default", scopes: ["completions.write"] });
const sending =
  (base: () => string, path = KEYS) =>
  (key: string, body: Json, as = ADMIN_KEY): Promise<Answer> =>
    ask(base() + path, "POST", as, body, { "idempotency-key": key });
const namesOf = async ({ gateway }: Pick<ControlPlane, "gateway">, name: string): Promise<number> =>
  itemsOf(await ask(`${gateway.base}/v2/api-keys?page_size=500&workspace_id=default`, "GET", ADMIN_KEY)).filter(
    (key) => key["name"] === name,
  ).length;

onBoth("an Idempotency-Key", (plane) => {
  const post = sending(() => plane.gateway.base);

  test(verifies("W.idempotency", "the first answer is given again, with the secret that was shown once"), async () => {
    const [first, again] = [await post("idem-1", keyBody("idem one")), await post('"idem-1"', keyBody("idem one"))];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(bodyOf(again)["key"]).toBeString();
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([null, "true"]);
    expect(await namesOf(plane, "idem one")).toBe(1);
    bodyOf(await post("idem-2", keyBody("idem one")));
    expect(await namesOf(plane, "idem one")).toBe(2);
  });
  test(verifies("W.idempotency-other", "another body is refused, another route or another caller has keys of its own"), async () => {
    bodyOf(await post("idem-other", keyBody("idem other")));
    const refused = await post("idem-other", keyBody("idem else"));
    expect(errorOf(refused)).toEqual({ status: 422, code: "AB01", param: null });
    expect(refused.text).toContain("was sent before with another request");
    const configs = sending(() => plane.gateway.base, "/v2/configs");
    bodyOf(await configs("idem-other", { name: "idem config", config: { retry: { attempts: 1 } } }));
    const other = await plane.key("default", ["workspace_service_api_keys.create", "completions.write"]);
    const theirs = await post("idem-other", keyBody("idem theirs"), other);
    expect(theirs.headers.get("idempotency-replayed")).toBeNull();
    expect(theirs.status).not.toBe(422);
  });
  test(verifies("W.idempotency-failed", "what was refused is sent again, mended, under the same key"), async () => {
    expect((await post("idem-mended", { ...keyBody("idem mended"), scopes: ["no.such"] })).status).toBe(400);
    bodyOf(await post("idem-mended", keyBody("idem mended")));
  });
  test(
    verifies("W.idempotency-together", "of many at once one is carried out; the others are told to wait, or have its answer"),
    async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => post("idem-many", keyBody("idem many"))));
      const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
      expect([texts.size, await namesOf(plane, "idem many")]).toEqual([1, 1]);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(errorOf(answer)).toEqual({ status: 409, code: "AB07", param: null });
        expect(answer.headers.get("retry-after")).toBe("1");
      }
      expect((await post("idem-many", keyBody("idem many"))).text).toBe([...texts][0] ?? "");
    },
  );
  test.each(["", "two words", "x".repeat(256), "umläut"])(
    verifies("W.idempotency-other", "a key that is none is refused with its form: %p"),
    async (key) => {
      const answer = await post(key, keyBody("idem none")).catch(() => undefined);
      if (answer && key !== "") expect(errorOf(answer)).toMatchObject({ status: 400 });
    },
  );
  test(verifies("W.idempotency", "actions below a record and the admin plane's routes take one too"), async () => {
    const invite = { email: "idempotent@keys.example", role: "member", workspaces: [] };
    const invites = sending(() => plane.gateway.base, "/v2/admin/users/invites");
    const [first, again] = [await invites("idem-invite", invite), await invites("idem-invite", invite)];
    expect([first.status, again.text]).toEqual([200, first.text]);
  });
});

describe("two processes", () => {
  const running: GatewayProcess[] = [];
  beforeAll(async () => {
    const server = await postgresServer();
    if (isSkip(server)) throw new Error(server.skip);
    const env = { DATABASE_URL: await newDatabase(server), GATEWAY_SECRET_KEY: "idempotencyOfTwoProcesses0123456789" };
    for (const _ of [1, 2]) running.push(await startGateway({ env }));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(running.map((gateway) => gateway.stop()));
    for (const gateway of running) gateway.remove();
  });
  test(verifies("W.idempotency-together", "carry a request out once, whichever of them it reaches"), async () => {
    const posts = running.map(({ base }) => sending(() => base));
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => posts[i % 2]?.("idem-two", keyBody("idem two"))));
    expect(answers.some((answer) => answer?.status === 200)).toBeTrue();
    const [one, two] = await Promise.all(posts.map((post) => post("idem-two", keyBody("idem two"))));
    expect([one?.status, two?.text]).toEqual([200, one?.text ?? ""]);
    const [gateway] = running;
    expect(await namesOf({ gateway: gateway ?? expect.unreachable() }, "idem two")).toBe(1);
  });
});

test(verifies("W.idempotency-sealed", "neither the database nor its journal holds the key that an answer showed"), async () => {
  const gateway = await startGateway();
  try {
    const shown = String(bodyOf(await sending(() => gateway.base)("idem-sealed", keyBody("idem sealed")))["key"]);
    expect(shown.length).toBeGreaterThan(20);
    const database = new Database(join(gateway.dataDir, "main.db"), { readonly: true });
    const kept = database
      .query<{ key: string; value: Uint8Array }, []>(`select key, value from "_kv" where key like 'idempotency:%'`)
      .all();
    database.close();
    expect(kept).toHaveLength(1);
    for (const { key, value } of kept) {
      expect(key).not.toContain("idem-sealed");
      expect(Buffer.from(value).includes(shown)).toBeFalse();
    }
    for (const file of ["main.db", "main.db-wal"])
      expect(Buffer.from(await Bun.file(join(gateway.dataDir, file)).arrayBuffer()).includes(shown)).toBeFalse();
  } finally {
    await gateway.stop();
    gateway.remove();
  }
}, 30_000);
