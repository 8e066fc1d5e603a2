import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type GuardrailPack, type Manifest, PluginCredentials, type TenantIds } from "#contract";
import { fakeHost } from "../../tests/kit/host.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import { credentialFinders } from "./credentials.ts";
import type { Provided } from "./generation.ts";
import { createLog } from "./process/log.ts";
import { missingSecrets } from "./secrets/missing-secrets.ts";

const ORGANISATION = crypto.randomUUID();
const [OURS, SECOND] = [crypto.randomUUID(), crypto.randomUUID()];
const ours: TenantIds = { organisationId: ORGANISATION, workspaceId: OURS };
const second: TenantIds = { organisationId: ORGANISATION, workspaceId: SECOND };
const theirs: TenantIds = { organisationId: crypto.randomUUID(), workspaceId: crypto.randomUUID() };

const manifest: Manifest = { id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme" };
const provides: GuardrailPack = {
  checks: [],
  credentials: Type.Object({
    apiKey: Type.String({ secret: true, env: "ACME_KEY" }),
    apiEndpoint: Type.Optional(Type.String({ bound: true, env: "ACME_ENDPOINT" })),
  }),
};
const pack: Provided<GuardrailPack> = { name: "guardrail/acme", manifest, provides };

async function setting(env: Readonly<Record<string, string>> = {}) {
  const { host, storage } = await fakeHost(["records", "vault"], { collections: [PluginCredentials] });
  const log = createLog({ level: "error", now: () => 0, write: () => undefined });
  const sources = new Map([["env", { scheme: "env", read: async (name: string) => env[name] }]]);
  const secrets = { sources, places: {}, missing: missingSecrets(), log };
  const read = ({ referenceId }: { readonly referenceId: string }): string => `read of ${referenceId}`;
  const find = credentialFinders({ records: host.records, vault: host.vault, secrets, read })(pack);
  const keep = async (tenant: string, apiKey: string, plugin_id = "acme"): Promise<string> => {
    const id = crypto.randomUUID();
    await host.records.in(PluginCredentials).insert({
      id,
      created_at: 0,
      last_updated_at: 0,
      organisation_id: ORGANISATION,
      workspace_id: tenant === ORGANISATION ? null : tenant,
      owner_id: id,
      tenant,
      plugin_id,
      credentials: { apiKey: { sealed: host.vault.seal(apiKey) } },
      secret_mappings: apiKey === "mapped" ? [{ target_field: "credentials.apiKey", secret_reference_id: "r1" }] : null,
    });
    return id;
  };
  return { find, keep, records: host.records.in(PluginCredentials), vault: host.vault, storage, missing: secrets.missing };
}

describe("the account that a check is given", () => {
  test("is the workspace's, or else its organisation's, and nobody else's", async () => {
    const { find, keep } = await setting();
    await keep(ORGANISATION, "of the organisation");
    await keep(OURS, "of the workspace");
    expect(await find(ours)).toEqual({ apiKey: "of the workspace" });
    expect(await find(second)).toEqual({ apiKey: "of the organisation" });
    expect(await find({ organisationId: ORGANISATION, workspaceId: null })).toEqual({ apiKey: "of the organisation" });
    await expect((async () => find(theirs))()).rejects.toMatchObject({ code: "CREDENTIALS_MISSING" });
  });
  test(verifies("A.mappings.accounts", "has the members that a secret reference keeps"), async () => {
    const { find, keep } = await setting();
    await keep(OURS, "mapped");
    expect(await find(ours)).toEqual({ apiKey: "read of r1" });
  });
  test("is of its own plugin", async () => {
    const { find, keep } = await setting();
    await keep(OURS, "of another plugin", "other");
    await expect((async () => find(ours))()).rejects.toMatchObject({ code: "CREDENTIALS_MISSING" });
  });
  test("comes without a promise once it is known, the organisation's too", async () => {
    const { find, keep } = await setting();
    await keep(ORGANISATION, "of the organisation");
    await find(second);
    expect(find(second)).toEqual({ apiKey: "of the organisation" });
  });
  test("is another from the moment at which it is changed", async () => {
    const { find, keep, records, vault } = await setting();
    await keep(ORGANISATION, "of the organisation");
    const id = await keep(OURS, "first");
    expect(await find(ours)).toEqual({ apiKey: "first" });
    await records.update(id, { credentials: { apiKey: { sealed: vault.seal("second") } } });
    expect(await find(ours)).toEqual({ apiKey: "second" });
    await records.remove(id);
    expect(await find(ours)).toEqual({ apiKey: "of the organisation" });
  });
  test("is the deployment's where no tenant keeps one, and is never put together from both", async () => {
    const { find, keep } = await setting({ ACME_KEY: "of the deployment", ACME_ENDPOINT: "https://eu.acme.example" });
    expect(await find(ours)).toEqual({ apiKey: "of the deployment", apiEndpoint: "https://eu.acme.example" });
    await keep(OURS, "of the workspace");
    expect(await find(ours)).toEqual({ apiKey: "of the workspace" });
  });
  test("is none where the environment lacks what an account needs; that is said, with what would be right, and is nothing an operator lacks", async () => {
    const { find, missing } = await setting({ ACME_ENDPOINT: "https://eu.acme.example" });
    await expect((async () => find(ours))()).rejects.toThrow(
      "Neither this workspace nor its organisation keeps credentials for the plugin guardrail/acme. Make them with POST /v2/plugins, or set ACME_KEY for the whole deployment.",
    );
    expect(missing.of(manifest)).toEqual([]);
  });
});
