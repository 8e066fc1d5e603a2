import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSecretManager, type Json } from "#contract";
import { parseManifests } from "../../../core/kernel/discovery/manifest.ts";
import { atWork } from "../../../tests/kit/set-up.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json" with { type: "json" };

const VAULT = "https://acme.vault.azure.net";
const tokenFile = join(mkdtempSync(join(tmpdir(), "azure-")), "token");
writeFileSync(tokenFile, "pod-jwt\n");

/** Entra and a vault that answer in order, and what they were asked. */
async function azure(config: Json, ...answers: readonly (readonly [status: number, body: Json])[]) {
  const asked: string[] = [];
  const left = [...answers];
  const at = await atWork({
    plugin,
    manifest: parseManifests(manifest, "manifest.json")[0] ?? expect.unreachable(),
    config,
    host: {
      fetch: async (request) => {
        const told = [request.headers.get("authorization") ?? ""];
        asked.push([`${request.method} ${request.url}`, ...told, await request.text()].filter((line) => line !== "").join("\n"));
        const [status, body] = left.shift() ?? expect.unreachable();
        return Response.json(body, { status });
      },
    },
  });
  const manager = isSecretManager(at.provides) ? at.provides : expect.unreachable();
  const read = (auth: Json, path = "openai", key: string | null = null) =>
    manager.read({ organisationId: "org", auth: { azure_vault_url: `${VAULT}/`, ...auth }, path, key }, new AbortController().signal);
  return { read, asked, clock: at.clock };
}
const ENTRA = {
  azure_auth_mode: "entra",
  azure_entra_tenant_id: "tenant",
  azure_entra_client_id: "client",
  azure_entra_client_secret: "s3cret",
};
const token = (access_token: string): readonly [number, Json] => [200, { access_token, expires_in: 100 }];
const value = (text: string): readonly [number, Json] => [200, { value: text, attributes: {} }];
const SCOPE = "grant_type=client_credentials&scope=https%3A%2F%2Fvault.azure.net%2F.default";
const ENTRA_AT = "POST https://login.microsoftonline.com/tenant/oauth2/v2.0/token\n";
const GET = `GET ${VAULT}/secrets/openai?api-version=7.4\nBearer `;

test(verifies("A.managers.azure", "an Entra application signs in once for the life of its token, and again before that ends"), async () => {
  const { read, asked, clock } = await azure({}, token("first"), value("a"), value("b"), token("second"), value("c"));
  expect(await read(ENTRA)).toEqual({ value: "a" });
  await read(ENTRA);
  clock.now += 80_000;
  expect(await read(ENTRA)).toEqual({ value: "c" });
  const signIn = `${ENTRA_AT}${SCOPE}&client_id=client&client_secret=s3cret`;
  expect(asked).toEqual([signIn, `${GET}first`, `${GET}first`, signIn, `${GET}second`]);
});
test("a pod signs in with the token of its account, as the identity that is named or its own", async () => {
  const own = { tenantId: "tenant", clientId: "own", federatedTokenFile: tokenFile };
  const { read, asked } = await azure(own, token("a"), value("a"), token("b"), value("b"));
  await read({ azure_auth_mode: "managed", azure_managed_client_id: "named" });
  await read({ azure_auth_mode: "default" });
  const proof = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=pod-jwt";
  expect([asked[0], asked[2]]).toEqual([`${ENTRA_AT}${SCOPE}&client_id=named&${proof}`, `${ENTRA_AT}${SCOPE}&client_id=own&${proof}`]);
});
test("a gateway without an identity of its own says what to set, and calls no metadata address", async () => {
  const { read, asked } = await azure({});
  expect(await read({ azure_auth_mode: "managed", azure_managed_client_id: "named" })).toMatchObject({
    missing: expect.stringContaining("AZURE_FEDERATED_TOKEN_FILE"),
  });
  expect(asked).toEqual([]);
});
test("a secret that ends says when, and a member is taken out of one that is JSON", async () => {
  const { read } = await azure({}, token("a"), [200, { value: '{"key":"one"}', attributes: { exp: 1_800_000_000 } }], value("plain"));
  expect(await read(ENTRA, "openai", "key")).toEqual({ value: "one", expiresAt: 1_800_000_000_000 });
  expect(await read(ENTRA, "openai", "key")).toMatchObject({ missing: expect.stringContaining("no JSON object") });
});
test("what Azure says no to is missing, and what it cannot say is thrown", async () => {
  const { read } = await azure({}, token("a"), [404, {}], [403, {}], [503, {}]);
  expect(await read(ENTRA)).toEqual({ missing: "Key Vault has no such secret (404)" });
  expect(await read(ENTRA)).toEqual({ missing: "Key Vault does not let its sign-in read it (403)" });
  await expect(read(ENTRA)).rejects.toThrow("Key Vault answered 503");
  const refused = await azure({}, [401, { error: "invalid_client" }]);
  expect(await refused.read(ENTRA)).toEqual({ missing: "Entra gave no token (401)" });
});
test.each<[string, Json, string]>([
  ["a path that leads elsewhere", {}, "../keys/a"],
  ["an address that is no vault", { azure_vault_url: "https://vault.azure.net.example" }, "openai"],
  ["an address without encryption", { azure_vault_url: "http://acme.vault.azure.net" }, "openai"],
])("%s is told no token", async (_, auth, path) => {
  const { read, asked } = await azure({});
  expect(await read({ ...ENTRA, ...auth }, path)).toMatchObject({ missing: expect.any(String) });
  expect(asked).toEqual([]);
});
