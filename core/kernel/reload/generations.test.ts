import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { bootInput, bootWith, type Captured, type Given, inFolder, packOf, PROFILE, stateIn } from "../../../tests/kit/deployment.ts";
import { boot } from "../boot.ts";
import type { BootInput } from "../building.ts";
import { type Generations, startGenerations } from "./generations.ts";

/** Generations over these plugins; `next` changes what the following boots see. */
async function start(
  plugins: readonly Given[],
  captured: Captured = { lines: [] },
  parts: { detach?: () => Promise<void>; idleLimitMs?: number } = {},
) {
  const next: { part: Partial<BootInput> } = { part: {} };
  const first = bootInput(plugins, {}, captured);
  const detached: number[] = [];
  const generations: Generations<number> = await startGenerations({
    build: (number, carried, shown) => boot({ ...first, ...next.part, number, carried, generations: shown }),
    attach: (generation) => generation.number,
    detach: async (number) => void detached.push(number),
    log: first.log.log,
    redact: first.log.redact,
    parts: first.parts,
    idleLimitMs: 1_000,
    ...parts,
  });
  return { generations, next, detached };
}

test("a new generation takes over at once, and the old one ends when its last request has left", async () => {
  const ended = Promise.withResolvers<void>();
  const pack = packOf("pack", { setup: () => ({ provides: { checks: [] }, close: async () => ended.resolve() }) });
  const { generations, detached } = await start([{ ...pack, manifest: { ...pack.manifest, provides: [] } }]);
  const old = generations.current.generation;
  const leave = old.enter();

  expect(await generations.reload()).toEqual({ number: 2 });
  expect(generations.current).toMatchObject({ attached: 2 });
  expect(old.inFlight).toBe(1);
  expect(detached).toEqual([]);

  leave();
  leave(); // counted out once
  await ended.promise;
  expect(detached).toEqual([1]);
  expect(old.inFlight).toBe(0);
  await generations.close();
});

test("an exporter that never answers does not keep the process from ending", async () => {
  const captured: Captured = { lines: [] };
  const { generations } = await start([packOf("pack")], captured, { detach: () => new Promise(() => undefined), idleLimitMs: 20 });
  await generations.close();
  expect(captured.lines.join("\n")).toContain("generation.detach");
});

test("a generation that cannot be built changes nothing, and says why", async () => {
  const captured: Captured = { lines: [] };
  const { generations, next } = await start([packOf("pack")], captured);
  next.part = { profile: { ...PROFILE, plugins: { "guardrail/pack": { required: true, config: { unknown: 1 } } } } };
  await expect(generations.reload()).rejects.toThrow("unknown: there is no such member");
  next.part = {};
  expect(await generations.reload()).toEqual({ number: 2 }); // changes come one after the other
  expect(generations.current.generation.checks.has("pack.always")).toBe(true);
  expect(captured.lines.join("\n")).toContain("generation.kept");
  await generations.close();
});

test("storage that did not change is carried over with what it holds, and closed with the last generation", async () => {
  const { generations } = await start([]);
  const old = generations.current.generation;
  await old.stores.kv.set("kept", new Uint8Array([7]));
  await generations.reload();
  const { kv } = generations.current.generation.stores;
  expect(generations.current.generation).not.toBe(old);
  expect(await kv.get("kept")).toEqual(new Uint8Array([7]));
  await generations.close();
  await expect(kv.get("kept")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
});

test("what routes cannot be made of is closed again, and the old generation serves on", async () => {
  const built = bootInput([packOf("pack")]);
  let ended = 0;
  let attachable = true;
  const generations = await startGenerations({
    build: async (number, carried, shown) => {
      const made = await boot({ ...built, number, carried, generations: shown });
      return {
        ...made,
        end: async () => {
          ended += 1;
          await made.end();
        },
      };
    },
    attach: (generation) => {
      if (!attachable) throw new Error("no routes");
      return generation.number;
    },
    detach: async () => undefined,
    log: built.log.log,
    redact: built.log.redact,
    parts: built.parts,
    idleLimitMs: 100,
  });
  attachable = false;
  await expect(generations.reload()).rejects.toThrow("no routes");
  await generations.close();
  expect(ended).toBe(2);
});

test("a plugin that does not drain is named, and does not hold up the end", async () => {
  const captured: Captured = { lines: [] };
  const pack = packOf("stuck", { setup: () => ({ provides: { checks: [] }, drain: () => new Promise(() => undefined) }) });
  const built = await bootWith([{ ...pack, manifest: { ...pack.manifest, provides: [] } }], {}, captured);
  await built.end();
  expect(captured.lines.join("\n")).toContain("The plugin guardrail/stuck did not drain");
});

/** A bundled plugin as a build leaves it: no imports, schemas marked by TypeBox's symbol. */
const PACK = (title: string) => `
const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };
export default { kind: "guardrail", config: schema, needs: [],
  setup: () => ({ provides: { checks: [{ id: "outside.check", title: "${title}", on: ["input"], params: schema, run: () => ({ verdict: "allow" }) }] } }) };`;
const MANIFEST = {
  id: "outside",
  kind: "guardrail",
  version: "1.0.0",
  contract: "^1.0.0",
  title: "Outside",
  entry: "plugin.mjs",
  provides: ["outside.check"],
};

test("a reload picks up changed code of an external plugin, and keeps the old when the new is broken", () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, "outside"));
    writeFileSync(join(folder, "outside", "manifest.json"), JSON.stringify(MANIFEST));
    const write = (text: string) => writeFileSync(join(folder, "outside", "plugin.mjs"), text);
    write(PACK("first"));
    const profile = { ...PROFILE, pluginsDir: folder, plugins: { "guardrail/outside": { required: true } } };
    const input = bootInput([], { profile });
    const generations = await startGenerations({
      build: (number, carried, shown) => boot({ ...input, number, carried, generations: shown }),
      attach: () => null,
      detach: async () => undefined,
      log: input.log.log,
      redact: input.log.redact,
      parts: input.parts,
      idleLimitMs: 100,
    });
    const title = () => generations.current.generation.checks.get("outside.check")?.check.title;
    expect(title()).toBe("first");

    write(PACK("second"));
    await generations.reload();
    expect(title()).toBe("second");

    write("export default 7;");
    await expect(generations.reload()).rejects.toThrow("no default export");
    expect(title()).toBe("second");
    await generations.close();
  }));

test("a change that was not taken is degraded health, until one is", async () => {
  const { generations, next } = await start([packOf("pack")]);
  const degraded = () => generations.current.generation.health().get("generations")?.degraded;
  expect(degraded()).toEqual([]);
  next.part = { profile: { ...PROFILE, plugins: { "guardrail/pack": { config: { unknown: 1 } } } } };
  await expect(generations.reload()).rejects.toMatchObject({ code: "RELOAD_REFUSED", details: { lost: "guardrail/pack" } });
  expect(degraded()).toEqual([expect.stringMatching(/was not taken, and the one before it serves: .*would lose guardrail\/pack.*unknown/)]);
  await generations.reload({ force: true });
  expect([degraded(), generations.current.generation.checks.size]).toEqual([[], 0]);
  await generations.close();
});
test("what a reload would lose is not lost to a plugin that is there by another name, disabled, or spare", async () => {
  const { generations, next } = await start([packOf("one"), packOf("two")]);
  next.part = {
    profile: { ...PROFILE, plugins: { "guardrail/one": { enabled: false } } },
    registry: bootInput([packOf("one"), packOf("three")]).registry,
  };
  expect(await generations.reload()).toEqual({ number: 2 });
  expect([...generations.current.generation.checks.keys()]).toEqual(["three.always"]);
  await generations.close();
});

test("a storage that did not become ready is not carried over: the next generation sets it up anew", async () => {
  let setUps = 0;
  const setup = () => {
    setUps += 1;
    return { provides: { blobs: {} as never }, ready: () => (setUps === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve()) };
  };
  const late: Given = {
    manifest: { kind: "storage", id: "late", provides: ["blobs"] },
    module: () => ({ default: definePlugin({ kind: "storage", config: Type.Object({}), needs: [], setup }) }),
  };
  const profile = { ...PROFILE, plugins: { "storage/late": { required: false } } };
  const first = await bootWith([late], { profile });
  const second = await bootWith([late], { profile, carried: first.storages });
  expect([first, second].map((built) => stateIn(built, "storage/late")?.state)).toEqual(["failed", "running"]);
  expect(setUps).toBe(2);
  await first.end();
  await second.end();
});
