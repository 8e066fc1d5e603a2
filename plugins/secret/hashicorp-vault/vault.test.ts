import { expect, test } from "bun:test";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSecretManager, type Json } from "#contract";
import { parseManifests } from "../../../core/kernel/discovery/manifest.ts";
import { atWork } from "../../../tests/kit/set-up.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json" with { type: "json" };

const ADDRESS = "https://vault.example:8200";
const tokenFile = join(mkdtempSync(join(tmpdir(), "vault-")), "token");
writeFileSync(tokenFile, "pod-jwt\n");

/** A Vault that answers in order, and what it was asked. */
async function vault(...answers: readonly (readonly [status: number, body: Json])[]) {
  const asked: string[] = [];
  const left = [...answers];
  const at = await atWork({
    plugin,
    manifest: parseManifests(manifest, "manifest.json")[0] ?? expect.unreachable(),
    config: { kubernetesAddresses: ADDRESS, kubernetesTokenFile: tokenFile },
    host: {
      fetch: async (request) => {
        const headers = [...request.headers].filter(([name]) => name.startsWith("x-vault-")).map(([name, value]) => `${name}: ${value}`);
        asked.push([`${request.method} ${request.url}`, ...headers.sort(), await request.text()].filter((line) => line !== "").join("\n"));
        const [status, body] = left.shift() ?? expect.unreachable();
        return Response.json(body, { status });
      },
    },
  });
  const manager = isSecretManager(at.provides) ? at.provides : expect.unreachable();
  const read = (auth: Json, path = "secret/data/app", key: string | null = "key") =>
    manager.read({ organisationId: "org", auth: { vault_addr: ADDRESS, ...auth }, path, key }, new AbortController().signal);
  return { read, asked, clock: at.clock };
}
const TOKEN = { vault_auth_type: "token", vault_token: "hvs.token" };
const APPROLE = { vault_auth_type: "approle", vault_role_id: "role", vault_secret_id: "secret" };
const V2: Json = { data: { data: { key: "the-value" }, metadata: { version: 3 } } };
const login = (token: string): readonly [number, Json] => [200, { auth: { client_token: token, lease_duration: 100 } }];
const GET = `GET ${ADDRESS}/v1/secret/data/app\nx-vault-request: true\nx-vault-token: `;

test(verifies("A.managers.vault", "a token reads version 2 of the key-value engine, in its namespace"), async () => {
  const { read, asked } = await vault([200, V2]);
  expect(await read({ ...TOKEN, vault_namespace: "team/a" })).toEqual({ value: "the-value" });
  expect(asked).toEqual([`GET ${ADDRESS}/v1/secret/data/app\nx-vault-namespace: team/a\nx-vault-request: true\nx-vault-token: hvs.token`]);
});
test("version 1 keeps its members without metadata; the only one needs no name, and several are JSON", async () => {
  const { read } = await vault([200, { data: { key: "one" } }], [200, { data: { key: { a: 1 } } }], [200, { data: { a: "1", b: "2" } }]);
  expect(await read(TOKEN, "kv/app", null)).toEqual({ value: "one" });
  expect(await read(TOKEN, "kv/app")).toEqual({ value: '{"a":1}' });
  expect(await read(TOKEN, "kv/app", null)).toEqual({ value: '{"a":"1","b":"2"}' });
});
test("an AppRole signs in once for its lease, and again before that ends", async () => {
  const { read, asked, clock } = await vault(login("first"), [200, V2], [200, V2], login("second"), [200, V2]);
  await read(APPROLE);
  await read(APPROLE);
  clock.now += 80_000;
  await read(APPROLE);
  const signIn = `POST ${ADDRESS}/v1/auth/approle/login\nx-vault-request: true\n{"role_id":"role","secret_id":"secret"}`;
  expect(asked).toEqual([signIn, `${GET}first`, `${GET}first`, signIn, `${GET}second`]);
});
test("a token that was revoked is fetched again, once", async () => {
  const { read, asked } = await vault(login("first"), [403, {}], login("second"), [200, V2], [403, {}], login("third"), [403, {}]);
  expect(await read(APPROLE)).toEqual({ value: "the-value" });
  expect(await read(APPROLE)).toEqual({ missing: "Vault does not let its sign-in read it (403)" });
  expect(asked).toHaveLength(7);
});
test("a pod signs in with its service account, and only where the operator said so", async () => {
  const { read, asked } = await vault(login("pod"), [200, V2]);
  const auth = { vault_auth_type: "kubernetes", vault_role: "gateway" };
  expect(await read(auth)).toEqual({ value: "the-value" });
  expect(asked[0]).toBe(`POST ${ADDRESS}/v1/auth/kubernetes/login\nx-vault-request: true\n{"role":"gateway","jwt":"pod-jwt"}`);
  expect(await read({ ...auth, vault_addr: "https://elsewhere.example" })).toMatchObject({ missing: expect.stringContaining("operator") });
  expect(asked).toHaveLength(2);
});
test("what Vault says no to is missing, and what it cannot say is thrown", async () => {
  const { read } = await vault([404, { errors: [] }], [200, V2], [500, {}], [400, { errors: ["invalid role or secret ID"] }]);
  expect(await read(TOKEN)).toEqual({ missing: "Vault keeps nothing at its path (404)" });
  expect(await read(TOKEN, "secret/data/app", "absent")).toEqual({ missing: "what is kept there has no member absent" });
  await expect(read(TOKEN)).rejects.toThrow("Vault answered 500");
  expect(await read(APPROLE)).toEqual({ missing: "the sign-in was refused (400)" });
});
test.each(["../sys/raw", "secret/../sys", "a//b", "."])("the path %s is not asked for", async (path) => {
  const { read, asked } = await vault();
  expect(await read(TOKEN, path)).toEqual({ missing: "its path leads elsewhere" });
  expect(asked).toEqual([]);
});
