import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, memoryRow, packOf, rowOf } from "../../../tests/kit/deployment.ts";
import { scan } from "../../build/gen-registry.ts";
import { deploymentOf } from "../discovery/deployment.ts";
import { parseManifest } from "../discovery/manifest.ts";
import { BUILT_IN_PROFILES, readProfile } from "./profile.ts";

const write = (folder: string, name: string, value: unknown): string => {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
};

test("a profile starts from what it extends: configuration is merged, its own order comes first", () =>
  inFolder(async (folder) => {
    write(folder, "base.json", {
      title: "Base",
      others: "disabled",
      pluginsDir: "ext",
      order: ["policy/b"],
      plugins: { "policy/a": { config: { x: 1, y: 1 } }, "policy/b": {} },
    });
    const file = write(folder, "own.json", {
      title: "Own",
      extends: "base.json",
      order: ["policy/c"],
      plugins: { "policy/a": { config: { y: 2 } }, "policy/c": { enabled: false } },
    });
    expect(await readProfile(file, {})).toEqual({
      file,
      builtIn: false,
      title: "Own",
      others: "disabled",
      pluginsDir: join(folder, "ext"),
      order: ["policy/c", "policy/b"],
      secrets: {},
      variables: new Set(),
      plugins: { "policy/a": { config: { x: 1, y: 2 } }, "policy/b": {}, "policy/c": { enabled: false, config: {} } },
    });
  }));

test("strings of a configuration may name environment variables; one that is not set is an error", () =>
  inFolder(async (folder) => {
    const file = write(folder, "p.json", {
      title: "P",
      plugins: { "policy/a": { config: { url: "https://${NAME}/x", deep: [{ key: "${KEY}" }] } } },
    });
    const { plugins, variables } = await readProfile(file, { NAME: "acme.example", KEY: "k" });
    expect(variables).toEqual(new Set(["NAME", "KEY"]));
    expect(plugins["policy/a"]?.config).toEqual({ url: "https://acme.example/x", deep: [{ key: "k" }] });
    await expect(readProfile(file, { NAME: "n" })).rejects.toThrow(
      "plugins.policy/a.config.deep[0].key: the environment variable KEY is not set",
    );
  }));

test("what is wrong with a profile is said with its place", () =>
  inFolder(async (folder) => {
    const wrong = (value: unknown) => readProfile(write(folder, "p.json", value), {});
    await expect(wrong({ title: "P", plugin: {} })).rejects.toThrow(
      "plugin: there is no such member; known are title, description, extends",
    );
    await expect(wrong({ title: "P", plugins: { "policy/a": { enable: true } } })).rejects.toThrow(
      "plugins.policy/a.enable: there is no such member; known are enabled, config",
    );
    await expect(wrong({ title: "P", others: "on" })).rejects.toThrow("must be one of enabled, disabled");
    await expect(wrong({ title: "P", extends: "p.json" })).rejects.toThrow("it extends itself");
    await expect(readProfile(join(folder, "none.json"), {})).rejects.toThrow("give a path, or one of default, minimal, full");
    writeFileSync(join(folder, "p.json"), "{");
    await expect(readProfile(join(folder, "p.json"), {})).rejects.toThrow("it is not JSON");
  }));

test("a profile that names a plugin there is not learns which there are", () =>
  inFolder(async (folder) => {
    const named = async (plugins: object) =>
      deploymentOf(await readProfile(write(folder, "p.json", { title: "P", plugins }), {}), [memoryRow, rowOf(packOf("good"))], {});
    await expect(named({ "guardrail/goood": {} })).rejects.toThrow("there is no such plugin; guardrail/good was probably meant");
    await expect(named({ "guardrails/good": {} })).rejects.toThrow("there is no such plugin; guardrail/good was probably meant");
    await expect(named({ "gizmo/good": {} })).rejects.toThrow("the kinds are secret, storage");
  }));

test("order within a kind is the profile's, then the registry's", () =>
  inFolder(async (folder) => {
    const file = write(folder, "p.json", { title: "P", order: ["guardrail/c"], plugins: { "guardrail/b": {} } });
    const { plugins } = await deploymentOf(await readProfile(file, {}), [...["a", "b", "c"].map((id) => rowOf(packOf(id))), memoryRow], {});
    expect(plugins.map(({ name }) => name)).toEqual(["storage/memory", "guardrail/c", "guardrail/b", "guardrail/a"]);
  }));

test("the built-in profiles name plugins that are there", async () => {
  const names = new Set((await scan()).map(({ manifest }) => `${manifest.kind}/${manifest.id}`));
  for (const name of Object.keys(BUILT_IN_PROFILES)) {
    const { plugins, order } = await readProfile(name, {});
    expect([...Object.keys(plugins), ...order].filter((plugin) => !names.has(plugin))).toEqual([]);
  }
});

const GOOD = { id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme", entry: "index.ts" };
const BAD: readonly (readonly [change: object, says: string])[] = [
  [{ prority: 1 }, "prority: there is no such member; known are id, version"],
  [{ id: "Acme!" }, "is not valid at id"],
  [{ kind: "guard" }, "must be one of secret, storage"],
  [{ contract: "one" }, "it is no semver range"],
  [{ version: "1.0.0.0" }, "it is no semver version"],
  [{ entry: undefined }, "an `entry` (code) or `extends`"],
  [{ entry: "../other/index.ts" }, "inside the plugin's own folder"],
  [{ entry: "/etc/passwd" }, "inside the plugin's own folder"],
  [{ needs: ["disk"] }, "is not valid at needs.0"],
  [{ isolate: "process", kind: "policy" }, "only the checks of a guardrail plugin"],
  [{ isolate: "worker" }, "is not valid at isolate"],
];
for (const [change, says] of BAD) {
  test(`a manifest with ${JSON.stringify(change)} is refused with file, place and reason`, () => {
    const value = JSON.parse(
      JSON.stringify({ ...GOOD, ...change, ...("entry" in change && change.entry === undefined ? { entry: undefined } : {}) }),
    );
    expect(() => parseManifest(value, "acme/manifest.json")).toThrow(says);
    expect(() => parseManifest(value, "acme/manifest.json")).toThrow("The manifest acme/manifest.json is not valid at");
  });
}

test("external plugins are folders, and npm packages that name their manifest; broken ones are reported", () =>
  inFolder(async (folder) => {
    const put = (path: string, files: Record<string, unknown>) => {
      mkdirSync(join(folder, path), { recursive: true });
      for (const [name, content] of Object.entries(files)) write(join(folder, path), name, content);
    };
    put("acme", { "manifest.json": GOOD, "index.ts": 1 });
    put("broken", { "manifest.json": { ...GOOD, id: 7 } });
    put("node_modules/@vendor/pack", { "package.json": { gateway: { manifest: "dist/manifest.json" } } });
    put("node_modules/@vendor/pack/dist", { "manifest.json": { ...GOOD, id: "packed" } });
    put("node_modules/unrelated", { "package.json": { name: "unrelated" } });
    put("notes", { "readme.txt": "" });
    const file = write(folder, "p.json", { title: "P", pluginsDir: "." });
    const { plugins, unreadable } = await deploymentOf(await readProfile(file, {}), [memoryRow], {});
    expect(plugins.map(({ name }) => name)).toEqual(["storage/memory", "guardrail/acme", "guardrail/packed"]);
    expect(unreadable.map(({ origin, error }) => [origin, error.code])).toEqual([[join(folder, "broken"), "PLUGIN_MANIFEST"]]);
  }));

test("a pinned content hash lets through this content and no other", () =>
  inFolder(async (folder) => {
    const { bootWith, stateIn, PROFILE } = await import("../../../tests/kit/deployment.ts");
    mkdirSync(join(folder, "acme"));
    write(join(folder, "acme"), "manifest.json", { ...GOOD, entry: "index.mjs", provides: [] });
    writeFileSync(
      join(folder, "acme", "index.mjs"),
      'export default { kind: "guardrail", needs: [], config: { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} }, setup: () => ({ provides: { checks: [] } }) };',
    );
    const { plugins } = await deploymentOf({ ...PROFILE, pluginsDir: folder }, [], {});
    const pinnedTo = async (hash: string | null) =>
      stateIn(
        await bootWith([], { profile: { ...PROFILE, pluginsDir: folder, plugins: { "guardrail/acme": { hash: hash ?? "" } } } }),
        "guardrail/acme",
      );
    expect(await pinnedTo(plugins[0]?.hash ?? null)).toMatchObject({ state: "running", origin: join(folder, "acme") });
    writeFileSync(join(folder, "acme", "extra.txt"), "changed");
    expect(await pinnedTo(plugins[0]?.hash ?? null)).toMatchObject({ state: "failed", code: "PLUGIN_MANIFEST" });
  }));
