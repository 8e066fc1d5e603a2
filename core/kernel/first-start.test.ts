import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiKeys, Organisations, type RecordsHandle, type Storage, Workspaces } from "#contract";
import { inFolder } from "../../tests/kit/deployment.ts";
import { fakeHost } from "../../tests/kit/host.ts";
import { firstStart } from "./first-start.ts";
import { readSettings } from "./settings.ts";
import { createVault, vaultSecret } from "./vault.ts";

const hide = (): void => undefined;
const COLLECTIONS = [Organisations, Workspaces, ApiKeys];
const vault = createVault("a secret key for tests, long enough", hide);

async function recordsOf(storage?: Storage): Promise<{ records: RecordsHandle; storage: Storage }> {
  const fake = await fakeHost(["records"], { collections: COLLECTIONS, ...(storage && { storage }) });
  return { records: fake.host.records, storage: fake.storage };
}
const startIn = (dataDir: string, records: RecordsHandle, env: Record<string, string> = {}, key = vault) =>
  firstStart({ records, vault: key, settings: readSettings({ GATEWAY_DATA_DIR: dataDir, ...env }), hide, now: () => 1_000 });
const fileIn = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8").trim();

test("the first start makes an organisation, the workspace default and two keys that only the owner can read", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    const keys = await startIn(folder, records);
    expect(keys?.admin).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(fileIn(folder, "admin.key")).toBe(keys?.admin ?? "");
    expect(fileIn(folder, "gateway.key")).toBe(keys?.gateway ?? "");
    for (const name of ["admin.key", "gateway.key"]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const admin = await records.in(ApiKeys).first({ digest: vault.digest(keys?.admin ?? "") });
    const gateway = await records.in(ApiKeys).first({ digest: vault.digest(keys?.gateway ?? "") });
    expect(admin).toMatchObject({ type: "organisation-service", workspace_id: null, scopes: ["*"] });
    expect(gateway).toMatchObject({ type: "workspace-service", organisation_id: admin?.organisation_id ?? "" });
    expect(gateway?.scopes).toEqual(["data_plane.*"]);
    expect(await records.in(Workspaces).first({ slug: "default" })).toMatchObject({ id: gateway?.workspace_id ?? "" });
  }));

test("a second start makes nothing, and a key that was deleted does not come back", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    const keys = await startIn(folder, records);
    const admin = await records.in(ApiKeys).first({ digest: vault.digest(keys?.admin ?? "") });
    await records.in(ApiKeys).remove(admin?.id ?? "");
    expect(await startIn(folder, records)).toBeNull();
    expect((await records.in(ApiKeys).list({ limit: 10, offset: 0 })).total).toBe(1);
  }));

test("two processes that start at once on one data folder agree on the keys", () =>
  inFolder(async (folder) => {
    const one = await recordsOf();
    const two = await recordsOf(one.storage);
    const made = await Promise.all([startIn(folder, one.records), startIn(folder, two.records)]);
    expect(made.filter((keys) => keys !== null)).toHaveLength(1);
    const { data } = await one.records.in(ApiKeys).list({ limit: 10, offset: 0 });
    expect(data.map(({ digest }) => digest).sort()).toEqual(
      [fileIn(folder, "admin.key"), fileIn(folder, "gateway.key")].map(vault.digest).sort(),
    );
    expect((await one.records.in(Organisations).list({ limit: 10, offset: 0 })).total).toBe(1);
  }));

test("of two machines that start at once on one database, only one keeps key files", () =>
  inFolder((first) =>
    inFolder(async (second) => {
      const one = await recordsOf();
      const two = await recordsOf(one.storage);
      await Promise.all([startIn(first, one.records), startIn(second, two.records)]);
      const admins = [first, second]
        .filter((folder) => existsSync(join(folder, "admin.key")))
        .map((folder) => vault.digest(fileIn(folder, "admin.key")));
      const { data } = await one.records.in(ApiKeys).list({ where: { type: "organisation-service" }, limit: 10, offset: 0 });
      expect(data.map(({ digest }) => digest)).toEqual(admins);
    }),
  ));

test("preset keys are used, and a preset that was changed later is applied", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    expect(await startIn(folder, records, { GATEWAY_ADMIN_KEY: "first-preset-0123456789" })).toMatchObject({
      admin: "first-preset-0123456789",
    });
    expect(await startIn(folder, records, { GATEWAY_ADMIN_KEY: "second-preset-9876543210" })).toBeNull();
    expect(await records.in(ApiKeys).first({ digest: vault.digest("first-preset-0123456789") })).toBeUndefined();
    expect(await records.in(ApiKeys).first({ digest: vault.digest("second-preset-9876543210") })).toBeDefined();
    expect(fileIn(folder, "admin.key")).toBe("second-preset-9876543210");
  }));

test("a database written with another secret key is refused with a sentence, not with unknown keys", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    await startIn(folder, records);
    await expect(startIn(folder, records, {}, createVault("another secret key, also long enough", hide))).rejects.toThrow(
      "written with another secret key",
    );
  }));

test("what is sealed opens again, twice differently, and not when it was altered or sealed with another key", () => {
  const sealed = vault.seal("sk-12345 ü");
  expect(vault.open(sealed)).toBe("sk-12345 ü");
  expect(vault.seal("sk-12345 ü")).not.toBe(sealed);
  expect(() => vault.open(`${sealed.slice(0, -2)}AA`)).toThrow("could not be opened");
  expect(() => createVault("another secret key, also long enough", hide).open(sealed)).toThrow("another GATEWAY_SECRET_KEY");
  expect(() => vault.open("sk-12345")).toThrow("not in the sealed form");
});

test("a digest is keyed, steady, and 64 hex digits", () => {
  expect(vault.digest("key")).toMatch(/^[0-9a-f]{64}$/);
  expect(vault.digest("key")).toBe(vault.digest("key"));
  expect(vault.digest("key")).not.toBe(createVault("another secret key, also long enough", hide).digest("key"));
});

test("the key file is made once, for the owner only, and refused when others can read it", () =>
  inFolder((folder) => {
    const settings = readSettings({ GATEWAY_DATA_DIR: join(folder, "data") });
    const secret = vaultSecret(settings);
    expect(vaultSecret(settings)).toBe(secret);
    const file = join(folder, "data", "secret.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(() => vaultSecret(settings)).toThrow("can be read by others (mode 644)");
    chmodSync(file, 0o600);
    writeFileSync(file, "restored\n");
    expect(vaultSecret(settings)).toBe("restored");
  }));
