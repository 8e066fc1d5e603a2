import { parseManifests } from "../../core/kernel/discovery/manifest.ts";
import { afterAll, beforeAll } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { Job, Json, Kind, Kinds, Manifest, Need, Plugin, Running } from "#contract";
import { type FakeHost, type FakeHostOptions, fakeHost } from "./host.ts";

/** What a kit must know of a plugin. */
export interface PluginCase<K extends Kind> {
  readonly plugin: Plugin<K>;
  readonly manifest: Manifest;
  readonly config?: Json;
  /** Answers, secrets and clock of its host. */
  readonly host?: FakeHostOptions;
}
export interface AtWork<K extends Kind> extends FakeHost<Need> {
  readonly provides: Kinds[K];
  readonly jobs: readonly Job[];
}

/** Sets a plugin up on a host of its own, its handles over memory storage, ready to work. */
export async function atWork<K extends Kind>({
  plugin,
  manifest,
  config = {},
  host: options = {},
}: PluginCase<K>): Promise<AtWork<K> & { close(): Promise<void> }> {
  const secrets = { ...secretsFor(plugin.needs), ...options.secrets };
  const judged = Value.Default(plugin.config, structuredClone(config)) as Json; // judged by the kernel; kits give what is right
  const given = { id: manifest.id, collections: plugin.collections ?? [], config: judged };
  const fake = await fakeHost(plugin.needs, { ...given, ...options, secrets });
  const running: Running<Kinds[K]> = await plugin.setup(fake.host, judged);
  await running.ready?.();
  return { ...fake, provides: running.provides, jobs: running.jobs ?? [], close: async () => running.close?.() };
}

/** Every secret it asks for, unless a test says otherwise. */
const secretsFor = (needs: readonly string[]): Record<string, string> =>
  Object.fromEntries(needs.filter((need) => need.startsWith("secret:")).map((need) => [need.slice(7), `secret-of-${need.slice(7)}`]));

/** The same for all tests of one `describe`, closed after the last of them. */
export function forAll<K extends Kind>(given: PluginCase<K>): () => AtWork<K> {
  let at: Awaited<ReturnType<typeof atWork<K>>> | undefined;
  beforeAll(async () => {
    at = await atWork(given);
  });
  afterAll(() => at?.close());
  return () => {
    if (!at) throw new Error(`${given.manifest.id} is not set up`);
    return at;
  };
}

/** Frozen through and through: a plugin that writes to what it was given throws. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

/** The manifests of a `manifest.json` that lists parts, in their order; the one of a plugin alone. */
export const pluginsIn = (manifest: unknown): readonly Manifest[] => parseManifests(manifest, "manifest.json");
