/** The compiled executable, in an empty folder, as an operator starts it. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask, chat, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";
import { startStuck } from "./stuck.ts";

const home = mkdtempSync(join(tmpdir(), "gateway-binary-"));
const BINARY = { default: join(home, "gateway-default"), minimal: join(home, "gateway-minimal") };
const built: Record<string, string> = {};
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Text that stands in the code of one plugin and nowhere else. */
const MARKERS: Readonly<Record<string, string>> = {
  "provider/anthropic": "Anthropic reported an error without a message.",
  "guardrail/partner_c": "api.pillarseclabs.com",
  "storage/redis": "`redis://user:password@host:6379/0`",
  "provider/groq": "https://api.groq.com/openai/v1",
};

beforeAll(() => {
  for (const [profile, outfile] of Object.entries(BINARY)) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, "build", "--profile", profile, "--outfile", outfile], { cwd: home });
    if (exitCode !== 0) throw new Error(stderr.toString());
    built[profile] = stdout.toString();
  }
}, 60_000);

function run(binary: string, args: readonly string[], cwd = home) {
  const env = { PATH: process.env["PATH"] ?? "", GATEWAY_DATA_DIR: join(cwd, "unused") };
  const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], { cwd, env });
  return { exitCode, out: stdout.toString(), err: stderr.toString() };
}
const emptyFolder = (): string => mkdtempSync(join(home, "run-"));
const NO_KEYS = { GATEWAY_ADMIN_KEY: "", GATEWAY_API_KEY: "" };
const keysIn = (dataDir: string) => ({
  admin: readFileSync(join(dataDir, "admin.key"), "utf8").trim(),
  gateway: readFileSync(join(dataDir, "gateway.key"), "utf8").trim(),
});

describe("npm run build", () => {
  test("says what it compiles, how large it is and how long it took, and what is inside", () => {
    expect(built["minimal"]).toMatch(/minimal: compiling \d+ plugins/);
    expect(built["minimal"]).toMatch(/gateway-minimal, \d+\.\d MB in \d+\.\d s/);
    expect(built["minimal"]).toMatch(/ {2}provider +openai sandbox\n/);
  });
  test("compiles a profile of one's own, with the interpreter that its providers need, and starts with it", () => {
    const folder = emptyFolder();
    writeFileSync(
      join(folder, "tiny.json"),
      JSON.stringify({ title: "Tiny", extends: "minimal", plugins: { "provider/openai": { enabled: false }, "provider/groq": {} } }),
    );
    const made = Bun.spawnSync([...SOURCE, "build", "--profile", "tiny.json", "--outfile", "tiny"], { cwd: folder });
    expect([made.exitCode, made.stdout.toString()]).toEqual([0, expect.stringMatching(/provider +groq openai-compatible sandbox/)]);
    const rows = run(join(folder, "tiny"), ["list"], folder).out;
    expect(rows).toMatch(/provider\/groq +enabled/);
    expect(rows).not.toContain("provider/openai ");
    expect(run(join(folder, "tiny"), ["check"], folder)).toMatchObject({ exitCode: 0 });
  }, 30_000);
  test.each([
    [["--profile", "absent.json"], 1, "absent.json"],
    [["--outfile", "x"], 2, "--profile"],
    [["--no-such"], 2, "--no-such"],
    [["--profile", "minimal", "--outfile", "x", "--target", "bun-amiga"], 1, "amiga"],
  ])("refuses %j with a sentence", (args, code, said) => {
    const { exitCode, stderr } = Bun.spawnSync([...SOURCE, "build", ...args], { cwd: home });
    expect([exitCode, stderr.toString()]).toEqual([code, expect.stringContaining(said)]);
    expect(existsSync(join(home, "x"))).toBeFalse();
  });
});

describe("the default executable in an empty folder", () => {
  let gateway: GatewayProcess;
  const folder = emptyFolder();
  const dataDir = join(folder, "data");
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startGateway({ command: [join(folder, "gateway")], cwd: folder, dataDir, env: { ...NO_KEYS, ...more } });
  const asking = () => ({ base: gateway.base, gatewayKey: keysIn(dataDir).gateway });

  beforeAll(async () => {
    copyFileSync(BINARY.default, join(folder, "gateway"));
    gateway = await start();
    await until("the line to copy was printed", () => gateway.output().includes("curl "));
  }, 30_000);
  afterAll(async () => {
    await gateway.stop();
  });

  test("has the page of its API inside, and the script that the page loads", async () => {
    const page = await fetch(`${gateway.base}/docs`);
    const [, source = ""] = /<script src="([^"]*)"/.exec(await page.text()) ?? [];
    const script = await fetch(new URL(source, page.url));
    expect([page.status, script.status, script.headers.get("content-type")]).toEqual([200, 200, "text/javascript; charset=utf-8"]);
    expect(await script.text()).toContain("@scalar/api-reference ");
  });
  test("makes its own database, and keys that only its user can read, and prints them", () => {
    expect(readdirSync(folder).sort()).toEqual(["data", "gateway"]);
    const keys = keysIn(dataDir);
    for (const [name, key] of Object.entries(keys)) {
      expect(gateway.output()).toContain(key);
      expect(statSync(join(dataDir, `${name}.key`)).mode & 0o777).toBe(0o600);
    }
  });
  test("gives a line to copy that works", () => {
    const line = /^ *(curl .*)$/m.exec(gateway.output())?.[1] ?? expect.unreachable();
    const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", `${line} --silent --fail`]);
    expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining("chat.completion")]);
  });
  test("answers whole and streamed, and says no to a wrong key", async () => {
    const whole = await chat(asking(), {});
    expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('"role":"assistant"')]);
    const streamed = await chat(asking(), { stream: true });
    expect(streamed.headers.get("content-type")).toStartWith("text/event-stream");
    expect(streamed.text).toEndWith("data: [DONE]\n\n");
    expect((await chat({ ...asking(), gatewayKey: "wrongKey0123456789" }, {})).status).toBe(401);
  });
  test("takes headers as large as the table of headers says, and no larger ones", async () => {
    const config = (filler: number): string =>
      JSON.stringify({ provider: "sandbox", override_params: { metadata: { filler: "x".repeat(filler) } } });
    const statusOf = async (filler: number): Promise<number> => (await chat(asking(), {}, { "x-gateway-config": config(filler) })).status;
    expect([await statusOf(200_000), await statusOf(400_000)]).toEqual([200, 431]);
  });
  test("is ready, and describes itself", async () => {
    expect((await ask(`${gateway.base}/readyz`, "GET", null)).json["status"] as unknown).toBe("ready");
    expect((await ask(`${gateway.base}/openapi.json`, "GET", null)).text).toContain("/v1/chat/completions");
    expect((await ask(`${gateway.base}/docs`, "GET", null)).text).toContain("<html");
  });
  test("keeps log records, which its Worker writes", async () => {
    const answer = await chat(asking(), {}, { "x-gateway-trace-id": "binary-test" });
    expect(answer.status).toBe(200);
    expect(existsSync(join(dataDir, "logs.db"))).toBeTrue();
  });
  test("keeps its keys and records over a stop and over a kill", async () => {
    const before = keysIn(dataDir);
    const made = await ask(`${gateway.base}/v2/api-keys/service`, "POST", before.admin, {
      name: "kept",
      workspace_id: "default",
      scopes: ["completions.write"],
    });
    const key = String(made.json["key"]);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await gateway.stop(signal);
      gateway = await start();
      expect(keysIn(dataDir)).toEqual(before);
      expect((await chat(asking(), {})).status).toBe(200);
      expect((await chat({ base: gateway.base, gatewayKey: key }, {})).status).toBe(200);
      expect(gateway.output()).not.toContain(before.admin); // they are told once
    }
  }, 30_000);
});

test("the executable runs dear checks in processes of its own, plugins' from outside too, and says who stands still", async () => {
  const stuck = await startStuck({ command: [BINARY.default], cwd: emptyFolder() });
  try {
    const fine = await stuck.judged({ "stuck.dear": {} }, "environment");
    expect([fine.status, fine.text]).toEqual([200, expect.stringMatching(/"pid":\d+,"came":0/)]);
    expect(fine.text).not.toContain(`"pid":${stuck.gateway.pid},`);
    const schema = { "default.jsonSchema": { schema: { type: "array" } } };
    expect([(await stuck.judged(schema, "[1]")).status, (await stuck.judged(schema, "{}")).status]).toEqual([200, 446]);
    expect((await stuck.judged({ "stuck.dear": {} }, "hang")).text).toContain("Budget error");
    expect((await stuck.judged({ "stuck.loop": { ms: 2_000 } }, "loop")).status).toBe(200);
    await until("it is told", () => /"event":"event_loop.stalled".*guardrail\/stuck/.test(stuck.gateway.output()));
  } finally {
    await stuck.close();
  }
}, 60_000);

describe("the commands of the executable", () => {
  test("list, check and openapi work, and leave nothing behind", () => {
    const folder = emptyFolder();
    const rows = run(BINARY.default, ["list"], folder).out;
    expect(rows).toMatch(/provider\/anthropic +enabled/);
    expect(run(BINARY.default, ["check"], folder)).toMatchObject({ exitCode: 0, out: expect.stringContaining("nothing wrong") });
    const document = JSON.parse(run(BINARY.default, ["openapi"], folder).out) as { paths: Record<string, unknown> };
    expect(Object.keys(document.paths)).toContain("/v1/chat/completions");
    expect(readdirSync(folder)).toEqual([]);
  }, 30_000);
  test("what works on sources only says so", () => {
    for (const command of ["new", "build"])
      expect(run(BINARY.default, [command])).toMatchObject({ exitCode: 2, err: expect.stringContaining("not part of a compiled binary") });
    expect(run(BINARY.default, ["dance"])).toMatchObject({ exitCode: 2, err: expect.stringContaining("dance") });
  });
});

describe("the minimal executable", () => {
  test("has the plugins of its profile and no others", () => {
    const names = run(BINARY.minimal, ["list"])
      .out.split("\n")
      .slice(1)
      .map((line) => line.split(" ")[0]);
    const { plugins } = JSON.parse(readFileSync(join(import.meta.dir, "../../plugins/profiles/minimal.json"), "utf8")) as {
      plugins: object;
    };
    expect(names.filter((name) => name !== "").sort()).toEqual(Object.keys(plugins).sort());
  });
  test("does not hold the code of a plugin outside its profile", () => {
    const [minimal, whole] = [readFileSync(BINARY.minimal), readFileSync(BINARY.default)];
    for (const [name, marker] of Object.entries(MARKERS))
      expect([name, whole.includes(marker), minimal.includes(marker)]).toEqual([name, true, false]);
  });
  test("serves with what it has, and says what it has not", async () => {
    const gateway = await startGateway({ command: [BINARY.minimal], cwd: emptyFolder() });
    try {
      expect((await chat(gateway, {})).status).toBe(200);
      const refused = await chat(gateway, {}, { "x-gateway-provider": "groq", authorization: "Bearer x" });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("groq")]);
      expect(
        (
          await chat(
            gateway,
            {},
            { "x-gateway-provider": "", "x-gateway-config": '{"strategy":{"mode":"fallback"},"targets":[{"provider":"sandbox"}]}' },
          )
        ).status,
      ).toBe(400);
    } finally {
      await gateway.stop();
      gateway.remove();
    }
  }, 30_000);
});
