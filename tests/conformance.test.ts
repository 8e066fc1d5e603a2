/** Every manifest of the tree, through the kit of its kind. */
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import semver from "semver";
import {
  type CachedReply,
  type CacheQuery,
  CONTRACT_VERSION,
  definePlugin,
  isSecretManager,
  type Kind,
  type Manifest,
  type Plugin,
  pluginName,
} from "#contract";
import {
  atWork,
  type PluginCase,
  testApi,
  testAdmin,
  testCache,
  testConsole,
  testExporter,
  testJobs,
  testMail,
  testPack,
  testPolicy,
  testPrice,
  testProvider,
  testSecret,
  testSecretManager,
  testTokenizer,
} from "#kit";
import { type Scanned, scan } from "../core/build/gen-registry.ts";
import { undeclaredNeeds } from "../core/kernel/host.ts";
import { interpret } from "../providers/openai-compatible/interpret.ts";
import { testBackend } from "./kit/backend.ts";

const ROOT = join(import.meta.dir, "..");

/** The plugin of a manifest, as the kernel would load it. */
async function pluginOf({ manifest, folder }: Scanned): Promise<Plugin> {
  if (manifest.entry === undefined) return interpret(manifest) as unknown as Plugin; // a plugin of one kind is a plugin
  const module = (await import(join(ROOT, folder, manifest.entry))) as { default: Plugin };
  return module.default;
}

type Kit<K extends Kind> = (given: PluginCase<K>) => void | Promise<void>;
const KITS: { readonly [K in Kind]: Kit<K> } = {
  secret: async (given) => {
    const { provides, close } = await atWork(given);
    await close();
    return isSecretManager(provides) ? testSecretManager(given) : testSecret(given);
  },
  storage: testBackend,
  cache: testCache,
  provider: ({ plugin, manifest }) => testProvider({ plugin, manifest }),
  guardrail: ({ plugin, manifest }) => testPack(plugin, manifest),
  price: testPrice,
  tokenizer: testTokenizer,
  mail: testMail,
  policy: testPolicy,
  exporter: testExporter,
  api: testApi,
  admin: testAdmin,
  console: testConsole,
};

/** Kinds whose plugins can be set up without anything of a vendor. */
const WITH_JOBS: ReadonlySet<Kind> = new Set(["api", "admin", "policy", "exporter"]);

/** What a kit is told beyond plugin and manifest. */
const EXTRA: Readonly<Record<string, object>> = {
  "tokenizer/cl100k": { model: { providerId: "openai", model: "gpt-4o" } },
  "mail/smtp": { config: { host: "127.0.0.1", port: 1, from: "gateway@example.org" } },
  "secret/env": {
    put: (name: string, value: string) => {
      process.env[name] = value;
      return () => {
        delete process.env[name];
      };
    },
  },
};

const scanned = await scan();
for (const one of scanned) {
  const { manifest } = one;
  const plugin = await pluginOf(one);
  testManifest(one, plugin);
  const kit = KITS[manifest.kind] as Kit<Kind>; // the manifest's kind is the plugin's, which the test above says too
  await kit({ plugin, manifest, ...EXTRA[pluginName(manifest)] });
  if (WITH_JOBS.has(manifest.kind)) await testJobs({ plugin, manifest });
}

/** What holds for a plugin of every kind. */
function testManifest({ manifest, folder }: Scanned, plugin: Plugin): void {
  describe(`manifest ${folder}`, () => {
    test("is for this contract, and says so by a range that later minor versions satisfy", () => {
      expect(semver.satisfies(CONTRACT_VERSION, manifest.contract)).toBeTrue();
      expect(semver.satisfies(semver.inc(CONTRACT_VERSION, "minor") ?? "", manifest.contract)).toBeTrue();
    });
    test("is of the kind of its code, and asks for what its code asks for", () => {
      expect(plugin.kind).toBe(manifest.kind);
      expect(undeclaredNeeds(manifest, plugin.needs)).toEqual([]);
      if (manifest.entry !== undefined && manifest.kind !== "provider")
        expect([...(manifest.needs ?? [])].sort()).toEqual([...plugin.needs].sort());
    });
    test("describes every configuration member, and maps variables to members that there are", () => {
      for (const [member, schema] of Object.entries(plugin.config.properties))
        expect([member, typeof schema.description]).toEqual([member, "string"]);
      expect(Object.keys(plugin.config.properties)).toEqual(expect.arrayContaining(Object.values(manifest.env ?? {})));
    });
    test("has a title for people, and a licence", () => {
      expect(manifest.title.length).toBeGreaterThan(1);
      expect(manifest.license).toBeString();
    });
    test("requires plugins that there are", () => {
      const names = scanned.map((other) => pluginName(other.manifest));
      expect(names).toEqual(expect.arrayContaining([...(manifest.requires ?? [])]));
    });
  });
}

/* ── kinds that have no plugin yet: their kits, on plugins small enough to see through ──────────────────────── */

const madeUp = (kind: Kind, id: string, more: Partial<Manifest> = {}): Manifest => ({
  id,
  kind,
  version: "1.0.0",
  contract: "^1.0.0",
  title: id,
  ...more,
});

const keyOf = ({ scope, call }: CacheQuery): string =>
  JSON.stringify([scope, call.operation, call.body.kind === "json" ? call.body.text : null]);
testCache({
  manifest: madeUp("cache", "exact", { provides: ["exact"], needs: ["kv"] }),
  plugin: definePlugin({
    kind: "cache",
    config: Type.Object({}),
    needs: ["kv"],
    setup: ({ kv }) => ({
      provides: {
        modes: ["exact"],
        async get(query) {
          const bytes = await kv.get(keyOf(query));
          return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as CachedReply); // written below
        },
        set: (query, reply, ttlSec) => kv.set(keyOf(query), new TextEncoder().encode(JSON.stringify(reply)), ttlSec * 1000),
      },
    }),
  }),
});

testConsole({
  manifest: madeUp("console", "console"),
  plugin: definePlugin({
    kind: "console",
    config: Type.Object({}),
    needs: [],
    setup: () => ({
      provides: {
        mount: "/console",
        asset: async (path) =>
          path === "index.html"
            ? new Blob(["<!doctype html><html><body>Hello</body></html>"], { type: "text/html; charset=utf-8" })
            : undefined,
      },
    }),
  }),
});
