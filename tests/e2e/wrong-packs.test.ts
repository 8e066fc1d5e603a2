/** What a gateway says of packs that somebody wrote who had never written one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { CONTRACT_VERSION } from "#contract";
import { verifies } from "../requirements/verifies.ts";
import { SOURCE } from "./process.ts";

const home = mkdtempSync(join(tmpdir(), "gateway-wrong-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const MANIFEST = { id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme", entry: "index.js" };
/** Its manifest's members, or its text; and its code, none where there is no such file. */
interface Wrong {
  readonly manifest?: object | string;
  readonly code?: string | null;
  readonly says: string;
}
const without = (name: keyof typeof MANIFEST): object => ({ ...MANIFEST, [name]: undefined });
const NO_PACK = "export default { kind: 'guardrail' };";

const MANIFESTS: Readonly<Record<string, Wrong>> = {
  noContract: {
    manifest: without("contract"),
    says: `contract: it is missing. Write a range of versions of the gateway's contract, such as ^${CONTRACT_VERSION}.`,
  },
  noTitle: { manifest: without("title"), says: "title: it is missing. Write its name as people are shown it." },
  noEntry: { manifest: without("entry"), says: "entry: there must be an `entry` (code) or `extends`" },
  tag: { manifest: { ...MANIFEST, contract: "latest" }, says: "contract: it is no semver range; write for example ^1.0.0." },
  shortVersion: { manifest: { ...MANIFEST, version: "1.0" }, says: 'version: it is "1.0"; expected' },
  capitals: { manifest: { ...MANIFEST, id: "Acme" }, says: "Write a short name, such as my-checks: lowercase letters, digits, - and _." },
  plural: { manifest: { ...MANIFEST, kind: "guardrails" }, says: 'kind: it is "guardrails" and must be one of secret, storage,' },
  strange: { manifest: { ...MANIFEST, checks: [] }, says: "checks: there is no such member; known are id, version, contract," },
  address: {
    manifest: { ...MANIFEST, needs: ["https://api.acme.example"] },
    says: 'needs.0: it is "https://api.acme.example"; expected',
  },
  comma: { manifest: '{ "id": "acme", }', says: "(file): it cannot be read: JSON Parse error" },
  outside: { manifest: { ...MANIFEST, entry: "../index.js" }, says: "entry: the module must lie inside the plugin's own folder." },
};
const CODE: Readonly<Record<string, Wrong>> = {
  newer: { manifest: { ...MANIFEST, contract: "^2.0.0" }, says: `asks for contract ^2.0.0, this gateway has ${CONTRACT_VERSION}.` },
  unbuilt: { code: null, says: "index.js; build the plugin first." },
  unnamed: { code: "export const plugin = {};", says: "the module has no default export; write: export default definePlugin({ … })." },
  torn: { code: "export default {", says: "index.js:1:16)" },
  unbundled: {
    code: 'import { definePlugin } from "ai-gateway-sdk";\nexport default definePlugin({});',
    says: "it imports ai-gateway-sdk, which is not there. A plugin is one file: bundle what it imports (npm run build).",
  },
  noSetup: { code: NO_PACK, says: "it has no function setup(host, config)." },
  plainConfig: { code: 'export default { kind: "guardrail", setup() {}, config: {} };', says: "write Type.Object({ … })." },
};

/** What `gateway check` says of them, installed side by side. */
async function saidOf(name: string, wrong: Readonly<Record<string, Wrong>>): Promise<string> {
  const folder = join(home, name);
  for (const [id, { manifest = { ...MANIFEST, id: id.toLowerCase() }, code = NO_PACK }] of Object.entries(wrong)) {
    mkdirSync(join(folder, id), { recursive: true });
    const named =
      typeof manifest === "string" || !("id" in manifest) || manifest.id !== "acme" ? manifest : { ...manifest, id: id.toLowerCase() };
    writeFileSync(join(folder, id, "manifest.json"), typeof named === "string" ? named : JSON.stringify(named));
    if (code !== null) writeFileSync(join(folder, id, "index.js"), code);
  }
  const profile = join(home, `${name}.json`);
  writeFileSync(profile, JSON.stringify({ title: "Wrong", extends: "default", pluginsDir: name }));
  const env = { ...process.env, GATEWAY_PROFILE: profile, GATEWAY_DATA_DIR: join(home, "data") };
  const child = Bun.spawn([...SOURCE, "check"], { cwd: home, env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  expect(code).toBe(1);
  return out + err;
}

test.each([["manifests", MANIFESTS] as const, ["code", CODE] as const])(
  verifies("V.loader.sentences", "wrong %s are named, with their place and what would be right"),
  async (name, wrong) => {
    const lines = (await saidOf(name, wrong)).split("\n");
    for (const [id, { says }] of Object.entries(wrong)) {
      const line = lines.find((of) => of.includes(`/${id}/`) || of.includes(`guardrail/${id} asks`));
      expect([id, line]).toEqual([id, expect.stringContaining(says)]);
    }
  },
  30_000,
);
