import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiKeys, messageOf, Organisations, type RecordsHandle, type Storage, Workspaces } from "#contract";
import { inFolder } from "../../tests/kit/deployment.ts";
import { fakeHost } from "../../tests/kit/host.ts";
import { firstStart } from "./first-start.ts";
import { secretIn } from "../kernel/secrets/key-file.ts";
import { readSettings, SETTINGS } from "../kernel/settings/settings.ts";
import { createVault, vaultSecret } from "../kernel/secrets/vault.ts";

const hide = (): void => undefined;
const COLLECTIONS = [Organisations, Workspaces, ApiKeys];
const vault = createVault("a secret key for tests, long enough", hide);

async function recordsOf(storage?: Storage): Promise<{ records: RecordsHandle; storage: Storage }> {
  const fake = await fakeHost(["records"], { collections: COLLECTIONS, ...(storage && { storage }) });
  return { records: fake.host.records, storage: fake.storage };
}
const startIn = (dataDir: string, records: RecordsHandle, env: Record<string, string> = {}, key = vault) =>
  firstStart({
    records,
    vault: key,
    settings: readSettings({ GATEWAY_DATA_DIR: dataDir, ...env }),
    hide,
    log: (_, event) => void told.push(event),
    now: () => 1_000,
  });
const told: string[] = [];
const fileIn = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8").trim();

test("the first start makes an organisation, the workspace default and two keys that only the owner can read", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    const keys = await startIn(folder, records);
    expect(keys?.admin).toMatch(/^[A-Za-z0-9]{48}$/);
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
    expect(told.splice(0)).toEqual(["first-key.preset"]); // whoever holds the key it had before hears why it is refused
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
    writeFileSync(file, "restored-restored-0123456789-abcdef\n");
    expect(vaultSecret(settings)).toBe("restored-restored-0123456789-abcdef");
  }));

const GOOD = "a-good-secret-0123456789-abcdefghij";
const WRONG_FORM = "expected string to match";
const SPOILT: readonly (readonly [name: string, says: string, spoil: (file: string) => void])[] = [
  ["empty", "it has 0 characters and needs at least 32", (file) => writeFileSync(file, "")],
  ["of white space", "it has 0 characters", (file) => writeFileSync(file, " \n\t\n")],
  ["short", "it has 12 characters", (file) => writeFileSync(file, "twelve-chars\n")],
  ["of a few characters", "it repeats a few characters", (file) => writeFileSync(file, "abab".repeat(16))],
  ["with a space inside", WRONG_FORM, (file) => writeFileSync(file, `${GOOD} ${GOOD}`)],
  ["of two lines", WRONG_FORM, (file) => writeFileSync(file, `${GOOD}\n${GOOD}\n`)],
  ["that is a well-known default", "well-known default", (file) => writeFileSync(file, "changeme-please-changeme-please-changeme")],
  ["that the group can read", "mode 640", (file) => writeFileSync(file, GOOD)],
  ["that is a folder", "it is not a file", (file) => mkdirSync(file, { mode: 0o700 })],
  ["that is a link to nothing", "a link to a file that is not there", (file) => symlinkSync(`${file}.gone`, file)],
];
test.each(SPOILT)("a key file %s is refused like the variable, and the sentence says what to do", (name, says, spoil) =>
  inFolder((folder) => {
    for (const [file, setting, remedy] of [
      ["secret.key", SETTINGS.secretKey, "Put back the file"],
      ["admin.key", SETTINGS.adminKey, "Delete it"],
    ] as const) {
      const path = join(folder, file);
      spoil(path);
      if (!name.includes("link") && !name.includes("folder")) chmodSync(path, name.includes("group") ? 0o640 : 0o600);
      const saying =
        says === WRONG_FORM && file === "admin.key" ? "a key has letters" : says.replace("32", String(setting.secret.minLength));
      const refused = () => secretIn({ path, setting, remedy }, () => GOOD);
      expect(refused).toThrow(saying);
      expect(refused).toThrow(remedy);
      expect(refused).toThrow(path);
    }
  }),
);
test("a refusal shows nothing of what the file or the variable holds", () =>
  inFolder((folder) => {
    writeFileSync(join(folder, "secret.key"), "hunter2 hunter2 hunter2 hunter2 hunter2", { mode: 0o600 });
    const message = messageOf(thrownBy(() => vaultSecret(readSettings({ GATEWAY_DATA_DIR: folder }))));
    expect(message).toContain("GATEWAY_SECRET_KEY");
    expect(message).not.toContain("hunter2");
    expect(messageOf(thrownBy(() => readSettings({ GATEWAY_SECRET_KEY: "hunter2 hunter2 hunter2 hunter2 hunter2" })))).not.toContain(
      "hunter2",
    );
  }));
test("a first key that was left behind weak is refused, not made the administrator's", () =>
  inFolder(async (folder) => {
    const { records } = await recordsOf();
    writeFileSync(join(folder, "admin.key"), "x\n", { mode: 0o600 });
    await expect(startIn(folder, records)).rejects.toThrow("it has 1 characters and needs at least 16");
    expect((await records.in(ApiKeys).list({ limit: 10, offset: 0 })).total).toBe(0);
  }));

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return expect.unreachable();
}
