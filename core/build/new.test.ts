import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { KINDS } from "#contract";

/* Plugins in the tree are made by tests/walkthrough.test.ts; these are the ones outside it, and what is refused. */

const home = mkdtempSync(join(tmpdir(), "gateway-new-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const MAIN = join(import.meta.dir, "../main.ts");
/** As after the `npm install` of the new package: its scripts find Bun. */
const PATH = `${join(import.meta.dir, "../../node_modules/.bin")}:${process.env["PATH"]}`;

async function bun(args: readonly string[], cwd = home): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, ...args], { cwd, env: { ...process.env, PATH }, stdout: "pipe", stderr: "pipe" });
  const [code, out, err] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code, out, err };
}
const make = (...args: string[]) => bun([MAIN, "new", ...args]);

test.each([...KINDS])(
  "a %s outside the tree is green, and bundles to one file that loads by itself",
  async (kind) => {
    const folder = join(home, kind);
    expect(await make(kind, `my_own-${kind}`, "--title", 'The "Own" one', "--out", folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining("npm run build"),
    });
    expect(await bun(["test"], folder)).toMatchObject({ code: 0 });
    expect(await bun(["run", "build"], folder)).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
      id: string;
      kind: string;
      title: string;
      entry: string;
    };
    expect(manifest).toMatchObject({ id: `my_own-${kind}`, kind, title: "The Own one", entry: "dist/index.js" });
    const bundle = readFileSync(join(folder, manifest.entry), "utf8");
    expect([...bundle.matchAll(/^import .* from "([^"]+)"/gm)].map(([, from = ""]) => from).filter((from) => !isBuiltin(from))).toEqual([]);
    expect(((await import(join(folder, manifest.entry))) as { default: { kind: string } }).default.kind).toBe(kind);
  },
  30_000,
);

test("an OpenAI-compatible provider outside the tree is a manifest and a package.json", async () => {
  const folder = join(home, "compatible");
  expect(await make("openai-compatible", "my_own-compatible", "--out", folder)).toMatchObject({ code: 0 });
  expect(readdirSync(folder).sort()).toEqual(["manifest.json", "package.json"]);
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    name: "gateway-provider-my-own-compatible",
    gateway: { manifest: "manifest.json" },
    files: ["manifest.json"],
  });
});

test.each([
  [[], "Say what kind"],
  [["gadget", "x"], "There is no kind gadget; the kinds are secret, storage"],
  [["provider"], "Say what the provider is called"],
  [["provider", "Groq"], "The id Groq cannot be used"],
  [["provider", "../up"], "The id ../up cannot be used"],
  [["provider", "groq"], "There is a provider/groq already, in providers/groq"],
  [["openai-compatible", "openai"], "There is a provider/openai already"],
  [["provider", "x", "y"], '"y" is one word too many'],
  [["provider", "x", "--colour", "red"], "--colour"],
])("gateway new %j is refused with a sentence", async (args, sentence) => {
  expect(await make(...args)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
});

test("a folder that holds something is left as it is", async () => {
  const folder = join(home, "mine");
  await Bun.write(join(folder, "precious.txt"), "mine");
  expect(await make("policy", "fresh", "--out", folder)).toMatchObject({ code: 2, err: expect.stringContaining("is not empty") });
  expect(readdirSync(folder)).toEqual(["precious.txt"]);
});

test("--help says what can be made, and makes nothing", async () => {
  expect(await make("policy", "helped", "--help")).toMatchObject({ code: 0, out: expect.stringContaining("openai-compatible") });
  expect(existsSync(join(import.meta.dir, "../../plugins/policy/helped"))).toBeFalse();
});
