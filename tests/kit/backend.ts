import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import type { Host, Json, Need, Plugin, Running, Storage, StorageHandle } from "#contract";
import { emptyData } from "../../storage/memory/data.ts";
import { connectMemory } from "../../storage/memory/index.ts";
import { dropDatabase, isSkip, newDatabase, postgresServer, redisServer, type Skip } from "../servers/index.ts";
import { atWork, type PluginCase } from "./set-up.ts";
import { testStorage } from "./storage.ts";

/** Conformance of a built-in storage, on data of its own: a folder, or a database of the servers that the test command has. */
export async function testBackend(given: PluginCase<"storage">): Promise<void> {
  const { plugin, manifest } = given;
  const place = await PLACES[manifest.id]?.();
  if (!place) return testProvides(given);
  if ("skip" in place) return describe.skip(`storage ${manifest.id}: ${place.skip}`, () => test("runs", () => undefined));
  const supports = (manifest.provides ?? []) as readonly StorageHandle[]; // the kit fails for any other
  testStorage(manifest.id, () => ({ connect: () => place.connect(plugin), destroy: () => place.destroy() }), {
    supports,
    inMemory: manifest.id === "memory",
  });
}

/** A backend without a row below: its own test runs the kit, for only that knows where its data is. */
function testProvides(given: PluginCase<"storage">): void {
  test(`storage ${given.manifest.id} provides the handles that its manifest lists`, async () => {
    const { provides, close } = await atWork(given);
    await close();
    expect(Object.keys(provides).sort()).toEqual([...(given.manifest.provides ?? [])].sort());
  });
}

interface Backend {
  connect(plugin: Plugin<"storage">): Running<Storage> | Promise<Running<Storage>>;
  destroy(): Promise<void>;
}
const host = { log: () => undefined, now: Date.now } as unknown as Host<Need>; // a storage asks for no handles
const connected = (plugin: Plugin<"storage">, config: Json) => plugin.setup(host, Value.Default(plugin.config, config) as Json); // a config of the plugin's own schema

/** Where each backend's data is while the kit runs; a `skip` says why there is no such place. */
const PLACES: Readonly<Record<string, () => Promise<Backend | Skip>>> = {
  async memory() {
    const data = emptyData(); // two set-ups of the plugin are two memories; the kit wants two connections to one
    return { connect: () => connectMemory(data, host), destroy: async () => undefined };
  },
  async sqlite() {
    const dir = mkdtempSync(join(tmpdir(), "gateway-conformance-"));
    return { connect: (plugin) => connected(plugin, { dir }), destroy: async () => rmSync(dir, { recursive: true, force: true }) };
  },
  async postgres() {
    const server = await postgresServer();
    if (isSkip(server)) return server;
    const url = await newDatabase(server);
    return { connect: (plugin) => connected(plugin, { url }), destroy: () => dropDatabase(server, url) };
  },
  async redis() {
    const server = await redisServer();
    if (isSkip(server)) return server;
    const keyPrefix = `conformance:${crypto.randomUUID()}:`;
    return { connect: (plugin) => connected(plugin, { url: server.url, keyPrefix }), destroy: async () => undefined };
  },
};
