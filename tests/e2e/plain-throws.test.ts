/** Code of plugins that throws what is no error of the gateway's: the log names plugin and cause, and its client finds the line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, type Answer, ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";
import { verifies } from "../requirements/verifies.ts";

type Json = Readonly<Record<string, unknown>>;

const MANIFEST = { version: "1.0.0", contract: "^1.0.0", title: "Plain", entry: "plugin.mjs" };
const SCHEMA = `const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };`;
const fail = (how: string): string => `() => { throw new Error("no luck in ${how}"); }`;
/** Each throws where the request says so. */
const POLICY = `${SCHEMA}
const fail = (how) => { throw new Error("no luck in " + how); };
const provides = {
  identify: ({ key }) => (key === "sync.key" ? fail("identify") : key === "late.key" ? Promise.resolve().then(() => fail("a later identify")) : undefined),
  admit: ({ body }) => (body.value?.model === "sync" ? fail("admit") : body.value?.model === "late" ? Promise.resolve().then(() => fail("a later admit")) : undefined),
};
export default { kind: "policy", config: schema, needs: [], setup: () => ({ provides }) };`;
const STRATEGY = `${SCHEMA}
const provides = { strategies: { plain: { settings: schema, *try() { throw new Error("no luck in a strategy"); } } } };
export default { kind: "policy", config: schema, needs: [], setup: () => ({ provides }) };`;
const ROUTE = `${SCHEMA}
const route = { plane: "control", method: "GET", path: "/plain", tag: "t", summary: "s", scope: "configs.read", reply: schema, handle: ${fail("a route")} };
export default { kind: "admin", config: schema, needs: [], setup: () => ({ provides: { routes: [route] } }) };`;

const home = mkdtempSync(join(tmpdir(), "plain-throws-"));
let gateway: GatewayProcess;
beforeAll(async () => {
  for (const [kind, id, code] of [
    ["policy", "plain", POLICY],
    ["policy", "modes", STRATEGY],
    ["admin", "plain", ROUTE],
  ] as const) {
    const folder = join(home, "plugins", `${kind}-${id}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...MANIFEST, kind, id, provides: id === "modes" ? ["plain"] : [] }));
    writeFileSync(join(folder, "plugin.mjs"), code);
  }
  const profile = { title: "Plain", extends: "default", pluginsDir: "plugins", plugins: { "policy/plain": {} } };
  writeFileSync(join(home, "profile.json"), JSON.stringify(profile));
  gateway = await startGateway({ env: { GATEWAY_PROFILE: join(home, "profile.json") } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  rmSync(home, { recursive: true, force: true });
});

const mode = JSON.stringify({ strategy: { mode: "plain" }, targets: [{ provider: "sandbox" }] });
test.each<[string, string, () => Promise<Answer>]>([
  ["identify", "policy/plain", () => chat({ ...gateway, gatewayKey: "sync.key" }, {})],
  ["a later identify", "policy/plain", () => chat({ ...gateway, gatewayKey: "late.key" }, {})],
  ["admit", "policy/plain", () => chat(gateway, { model: "sync" })],
  ["a later admit", "policy/plain", () => chat(gateway, { model: "late" })],
  ["a strategy", "policy/modes", () => chat(gateway, {}, { "x-gateway-provider": "", "x-gateway-config": mode })],
  ["a route", "admin/plain", () => ask(`${gateway.base}/v2/plain`, "GET", ADMIN_KEY)],
])(verifies("D4.500", "%s that throws: %s is named in the log, and its client finds the line"), async (how, plugin, asking) => {
  const answer = await asking();
  const { message } = answer.json["error"] as unknown as { message: string }; // judged below
  expect(answer.status).toBe(500);
  expect(message).toMatch(/^The gateway failed inside .* under the trace id [\w-]+\.$/);
  expect(answer.text).not.toContain("no luck");
  const traceId = /trace id ([\w-]+)/.exec(message)?.[1] ?? "";
  const written = await until("the line is written", () =>
    gateway
      .output()
      .split("\n")
      .find((line) => line.includes(`"${traceId}"`)),
  );
  expect(JSON.parse(written) as Json).toMatchObject({
    level: "error",
    event: "request failed inside",
    plugin,
    why: { message: `no luck in ${how}` },
  });
});
