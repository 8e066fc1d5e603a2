/** The README's examples, copied word by word into a shell beside a running gateway; only ports are this test's own. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayProcess, startGateway, until } from "./e2e/process.ts";
import { readmePart, ROOT, stepsIn } from "./readme.ts";

/** Looks like the tree to who works in it, with a data folder and files of its own. */
const tree = mkdtempSync(join(tmpdir(), "gateway-readme-"));
const OWN = new Set([".git", "data", "dist", ".cache"]);
for (const name of readdirSync(ROOT)) if (!OWN.has(name)) symlinkSync(join(ROOT, name), join(tree, name));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

const PATH = `${join(tree, "node_modules/.bin")}:${process.env["PATH"]}`;
/** The keys of a first start, as `data/gateway.key` has them. */
const FIRST_START = { GATEWAY_ADMIN_KEY: "", GATEWAY_API_KEY: "", GATEWAY_DATA_DIR: "data", PATH };
/** A gateway that finds no host by its name: no provider is reached, whatever the machine's network. */
const start = (env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> =>
  startGateway({
    command: [process.execPath, "--preload", join(ROOT, "tests/kit/no-names.ts"), "core/main.ts"],
    cwd: tree,
    env: { ...FIRST_START, ...env },
  });

async function sh(script: string, env: Readonly<Record<string, string>> = {}): Promise<{ code: number; out: string; errors: string }> {
  const child = Bun.spawn(["sh", "-c", script], { cwd: tree, env: { ...process.env, PATH, ...env }, stdout: "pipe", stderr: "pipe" });
  const [out, errors, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, errors };
}
const asked = (script: string, gateway: GatewayProcess): Promise<{ out: string }> =>
  sh(script.replaceAll("http://127.0.0.1:8787", gateway.base));

describe("the fallback over several lines", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await start();
    await until("the keys are written", () => existsSync(join(tree, "data/gateway.key")));
  }, 30_000);
  afterAll(() => gateway.stop());

  const [step] = stepsIn(readmePart("example", "fallback"));
  const script = step && "shell" in step ? step.shell : expect.unreachable();

  test("is answered by the provider that a first start has", async () => {
    const { out } = await asked(script.replace("curl ", "curl -s -i "), gateway);
    expect(out).toStartWith("HTTP/1.1 200");
    expect(out.toLowerCase()).toContain("x-gateway-last-used-option-index: config.targets[1]");
    expect(out).toContain('"content":"Hello"');
  }, 30_000);
  test("is denied where its guardrail says so", async () => {
    const { out } = await asked(script.replace("curl ", "curl -s -i ").replace('"Hello"', '"123-45-6789"'), gateway);
    expect(out).toStartWith("HTTP/1.1 446");
  }, 30_000);
});

describe("the plugin from outside the tree", () => {
  const shells: string[] = [];
  let port: number;
  let gateway: GatewayProcess;
  let service: ReturnType<typeof Bun.spawn>;
  const withPort = (text: string): string => text.replaceAll("9000", String(port));
  /** What the block exports, for the gateway that this test starts in place of `npm start`. */
  const exported = (script: string): Record<string, string> =>
    Object.fromEntries([...script.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
  const before = (script: string, command: string): string => script.slice(0, script.indexOf(command));
  const [SERVICE, START, DENIED, FAILING] = [0, 1, 2, 3];
  const shell = (at: number): string => shells[at] ?? expect.unreachable();
  const serve = async (): Promise<void> => {
    service = Bun.spawn([process.execPath, ...shell(SERVICE).trim().split(" ").slice(2)], { cwd: tree }); // `npx bun` would not hand its end on
    await until("the service listens", async () => (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined))?.status === 401);
  };

  beforeAll(async () => {
    port = await freePort();
    for (const step of stepsIn(withPort(readmePart("example", "outside")))) {
      if ("shell" in step) shells.push(step.shell);
      if (!("write" in step)) continue;
      mkdirSync(dirname(join(tree, step.write)), { recursive: true });
      writeFileSync(join(tree, step.write), step.text);
    }
    await serve();
    const check = await sh(`set -e\n${before(shell(START), "npm start")}`, FIRST_START);
    expect(check).toMatchObject({ code: 0 });
    gateway = await start(exported(shell(START)));
    await until("the keys are written", () => existsSync(join(tree, "data/gateway.key")));
  }, 60_000);
  afterAll(async () => {
    await gateway?.stop();
    service?.kill();
  });

  test("has fetched its words in ready, with the secret of the profile and the address of the environment", async () => {
    const { out } = await asked(shell(DENIED), gateway);
    expect(out).toEndWith("446");
    expect(JSON.parse(out.slice(0, -3))).toMatchObject({
      hook_results: { before_request_hooks: [{ checks: [{ id: "words.listed", data: { found: ["bluebird"] } }] }] },
    });
  });
  test("lets pass while its service is away, and counts as failed with failOnError", async () => {
    service.kill();
    await service.exited;
    const { out } = await asked(shell(FAILING), gateway);
    expect([...out.matchAll(/\}(\d{3})/g)].map(([, status]) => status)).toEqual(["200", "446"]);
  });
  test("is not ready without its service, and check says so", async () => {
    const check = before(shell(START), "npm start");
    expect(await sh(check, FIRST_START)).toMatchObject({ code: 1, errors: expect.stringContaining("guardrail/words") });
  }, 30_000);
  test("is refused with the place of a variable that is not set", async () => {
    const check = before(shell(START), "npm start").replace(/WORDS_URL=\S+/, "");
    const { code, out, errors } = await sh(check, FIRST_START);
    expect(code).toBe(1);
    expect(out + errors).toContain("WORDS_URL");
  }, 30_000);
});

/** A port that nobody listens on just now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : expect.unreachable();
}
