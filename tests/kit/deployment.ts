import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { definePlugin, type Generations as Shown, type Manifest, type Plugin, pluginName } from "#contract";
import type { Egress } from "../../core/egress/egress.ts";
import { boot, type Built } from "../../core/kernel/boot.ts";
import type { BootInput } from "../../core/kernel/building.ts";
import type { RegistryRow } from "../../core/kernel/discovery/deployment.ts";
import { createLog } from "../../core/kernel/process/log.ts";
import type { Profile } from "../../core/kernel/settings/profile.ts";
import { readSettings } from "../../core/kernel/settings/settings.ts";
import { createVault } from "../../core/kernel/secrets/vault.ts";
import memory from "../../storage/memory/index.ts";
import memoryManifest from "../../storage/memory/manifest.json" with { type: "json" };
import { inPlace } from "./bound-check.ts";

/** A plugin given in place: its manifest's own part, and what its module exports (or does when it is imported). */
export interface Given {
  readonly manifest: Partial<Manifest> & Pick<Manifest, "kind" | "id">;
  readonly module?: () => unknown;
}
export const manifestOf = (part: Given["manifest"]): Manifest => ({
  version: "1.0.0",
  contract: "^1.0.0",
  title: part.id,
  entry: "index.ts",
  ...part,
});

export const rowOf = ({ manifest, module }: Given): RegistryRow => ({
  manifest: manifestOf(manifest),
  file: `${manifest.kind}/${manifest.id}/manifest.json`,
  ...(module && { load: async () => module() }),
});
export const memoryRow: RegistryRow = {
  manifest: memoryManifest,
  file: "storage/memory/manifest.json",
  load: async () => ({ default: memory }),
};

/** A plugin of kind guardrail with one check, as small as it can be. */
export const packOf = (id: string, part: Partial<Plugin> = {}): Given => ({
  manifest: { kind: "guardrail", id, provides: [`${id}.always`] },
  module: () => ({ default: { ...alwaysPack(id), ...part } }),
});
const alwaysPack = (id: string) =>
  definePlugin({
    kind: "guardrail",
    config: Type.Object({}),
    needs: [],
    setup: () => ({
      provides: {
        checks: [
          { id: `${id}.always`, title: "Always", on: ["input"], params: Type.Object({}), run: () => ({ verdict: "allow" }) as const },
        ],
      },
    }),
  });

export const PROFILE: Profile = {
  file: "test",
  title: "Test",
  builtIn: false,
  plugins: {},
  others: "enabled",
  pluginsDir: null,
  order: [],
  secrets: {},
};
const UNUSED_EGRESS: Egress = {
  open: 0,
  judgeUrl: (url) => new URL(url),
  call: () => Promise.reject(new Error("no network in this test")),
  send: () => Promise.reject(new Error("no network in this test")),
  connect: () => Promise.reject(new Error("no network in this test")),
  addresses: () => Promise.reject(new Error("no network in this test")),
};
const UNUSED_GENERATIONS: Shown = { number: 1, states: () => [], reload: async () => ({ number: 1 }) };

/** Lines of the process log, kept. */
export interface Captured {
  readonly lines: string[];
}

const policyName = ({ manifest }: Given | RegistryRow): readonly string[] => {
  const { kind, id } = manifest as Manifest; // what the tests give
  return kind === "policy" ? [pluginName({ kind, id })] : [];
};

/** What a boot needs, over memory storage and with short limits, parts of it replaced. */
export function bootInput(
  plugins: readonly (Given | RegistryRow)[],
  part: Partial<BootInput> = {},
  captured: Captured = { lines: [] },
): BootInput {
  const log = createLog({ level: "debug", now: () => 0, write: (line) => void captured.lines.push(line) });
  return {
    number: 1,
    settings: readSettings({}),
    profile: { ...PROFILE, order: plugins.flatMap(policyName) }, // a policy runs where it is named
    registry: [memoryRow, ...plugins.map((plugin) => ("file" in plugin ? plugin : rowOf(plugin)))],
    vault: createVault("a secret key for tests, long enough", log.hide),
    egress: UNUSED_EGRESS,
    log,
    now: () => 0,
    limits: { load: 100, setup: 100, ready: 100, drain: 100, close: 100 },
    carried: new Map(),
    parts: new Map(),
    compute: inPlace,
    generations: UNUSED_GENERATIONS,
    ...part,
  };
}

export const bootWith = (plugins: readonly (Given | RegistryRow)[], part: Partial<BootInput> = {}, captured?: Captured): Promise<Built> =>
  boot(bootInput(plugins, part, captured));

/** State of one plugin of a generation. */
export const stateIn = (built: Built, name: string) => built.generation.plugins.find((plugin) => plugin.name === name);

/** A folder that is gone after `use`. */
export async function inFolder<T>(use: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-test-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
