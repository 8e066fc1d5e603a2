/** What tests of the control plane share: a gateway on either database, and short ways to make tenants and people. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { isSkip, newDatabase, postgresServer } from "../../servers/index.ts";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, type GatewayProcess, SOURCE, startGateway } from "../process.ts";

const SECRET = "controlPlaneTestsSecretKey0123456789";

export interface ControlPlane {
  readonly gateway: GatewayProcess;
  /** What the gateway's command line prints, beside the running gateway. */
  command(...words: string[]): Promise<string>;
  /** What it complains of. */
  refusedCommand(...words: string[]): Promise<string>;
  admin(method: string, path: string, body?: Json): Promise<Answer>;
  as(key: string, method: string, path: string, body?: Json): Promise<Answer>;
  /** The id and slug of a new workspace. */
  workspace(name: string, body?: Json): Promise<{ readonly id: string; readonly slug: string }>;
  /** A new service key of a workspace. */
  key(workspace: string, scopes: readonly string[], body?: Json): Promise<string>;
  /** Somebody who accepted an invite (by the first admin key, or this one), with a user key in each of these workspaces. */
  person(email: string, workspaces: readonly Json[], invite?: Json, by?: string): Promise<Person>;
}
export interface Person {
  readonly id: string;
  /** User keys, by workspace. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The same tests on both databases, each with a gateway of its own. */
export function onBoth(title: string, tests: (plane: ControlPlane) => void): void {
  for (const name of ["SQLite", "PostgreSQL"])
    describe(`${title}, on ${name}`, () => {
      let gateway: GatewayProcess;
      let env: Readonly<Record<string, string>> = {};
      beforeAll(async () => {
        const server = name === "PostgreSQL" ? await postgresServer() : undefined;
        if (server && isSkip(server)) throw new Error(server.skip);
        const DATABASE_URL = server && (await newDatabase(server));
        env = { GATEWAY_SECRET_KEY: SECRET, ...(DATABASE_URL !== undefined && { DATABASE_URL }) };
        gateway = await startGateway({ env });
      }, 60_000);
      afterAll(async () => {
        await gateway?.stop();
        gateway?.remove();
      });
      tests(
        planeOf(
          () => gateway,
          () => env,
        ),
      );
    });
}

function planeOf(gateway: () => GatewayProcess, env: () => Readonly<Record<string, string>>): ControlPlane {
  const as: ControlPlane["as"] = (key, method, path, body) => ask(gateway().base + path, method, key, body);
  const run = async (words: readonly string[]) => {
    const at = { ...process.env, ...env(), GATEWAY_DATA_DIR: gateway().dataDir };
    const child = Bun.spawn([...SOURCE, ...words], { env: at, stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { out, err, code: await child.exited };
  };
  const admin: ControlPlane["admin"] = (method, path, body) => as(ADMIN_KEY, method, path, body);
  return {
    get gateway() {
      return gateway();
    },
    async command(...words) {
      const { out, err, code } = await run(words);
      expect({ words, err, code }).toMatchObject({ code: 0 });
      return out;
    },
    async refusedCommand(...words) {
      const { err, code } = await run(words);
      expect({ words, isRefused: code !== 0 }).toEqual({ words, isRefused: true });
      return err;
    },
    as,
    admin,
    async workspace(name, body = {}) {
      const made = bodyOf(await admin("POST", "/v2/admin/workspaces", { name, ...body }));
      return { id: String(made["id"]), slug: String(made["slug"]) };
    },
    async key(workspace, scopes, body = {}) {
      const key = { name: "a key", workspace_id: workspace, scopes, ...body };
      return String(bodyOf(await admin("POST", "/v2/api-keys/service", key))["key"]);
    },
    async person(email, workspaces, invite = {}, by = ADMIN_KEY) {
      const sent = { email, role: "member", workspaces, workspace_api_key_details: { scopes: ["*"] }, ...invite };
      const link = new URL(String(bodyOf(await as(by, "POST", "/v2/admin/users/invites", sent))["invite_link"]));
      const accepted = await fetch(link, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ first_name: "Ada", last_name: email }),
      });
      expect(accepted.status).toBe(200);
      const { id, api_keys } = (await accepted.json()) as { id: string; api_keys: { workspace_id: string; key: string }[] };
      return { id, keys: Object.fromEntries(api_keys.map(({ workspace_id, key }) => [workspace_id, key])) };
    },
  };
}

/** The members of an error that tests look at. */
export const errorOf = (answer: Answer): Json => ({
  status: answer.status,
  code: at(answer.json, "error", "code"),
  param: at(answer.json, "error", "param"),
});
export const refused = (status: number, code: string, param: string | null = null): Json => ({ status, code, param });
/** Status of a chat with the offline model. */
export async function chatStatus(plane: ControlPlane, key: string, content = "Hello", headers: Readonly<Record<string, string>> = {}) {
  const body = { model: "echo", messages: [{ role: "user", content }] };
  const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, body, { "x-gateway-provider": "sandbox", ...headers });
  return answer.status;
}
