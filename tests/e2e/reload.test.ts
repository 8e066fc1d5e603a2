/**
 * A new generation under traffic: no request fails while plugins are built, swapped and drained, streams end on the
 * generation they began on, and a profile that cannot be built changes nothing and says why.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
const home = mkdtempSync(join(tmpdir(), "reload-"));
const profileFile = join(home, "profile.json");
let gateway: GatewayProcess;

const writeProfile = (more: Json = {}): void =>
  writeFileSync(profileFile, JSON.stringify({ title: "Reloaded", extends: "default", ...more }));
beforeAll(async () => {
  writeProfile();
  gateway = await startGateway({ env: { GATEWAY_PROFILE: profileFile } });
});
beforeEach(() => writeProfile());
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  rmSync(home, { recursive: true, force: true });
});

const reload = (of: GatewayProcess = gateway): Promise<Answer> => ask(`${of.base}/admin/v2/generations`, "POST", ADMIN_KEY);
interface Plugins {
  readonly generation: number;
  readonly data: readonly { readonly name: string; readonly state: string }[];
}
const plugins = async (): Promise<Plugins> => {
  const answer = await ask(`${gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY);
  return answer.json as unknown as Plugins; // the route's own schema
};
const generation = async (): Promise<number> => (await plugins()).generation;
const stateOf = async (name: string): Promise<string | undefined> => (await plugins()).data.find((plugin) => plugin.name === name)?.state;

/* ── traffic ─────────────────────────────────────────────────────────────────────────────────────────────────── */

const CHUNKS = 15;
const words = (text: string): number => text.split("\n\n").filter((frame) => /"content":"[^"]/.test(frame)).length;
/** One request, whole or streamed; what was wrong with it, if anything. */
async function one(stream: boolean): Promise<string | undefined> {
  try {
    const { status, text } = await chat(gateway, {
      ...(stream && { stream }),
      sandbox: { chunks: CHUNKS, chunk_latency_ms: stream ? 2 : 0 },
    });
    if (status !== 200) return `${status} ${text.slice(0, 200)}`;
    if (stream && (words(text) !== CHUNKS || !text.endsWith("data: [DONE]\n\n")))
      return `a stream of ${words(text)} words: ${text.slice(-200)}`;
    return undefined;
  } catch (thrown) {
    return String(thrown);
  }
}
/** Runs something while requests keep coming; tells how many there were and what went wrong. */
async function underTraffic(run: () => Promise<void>): Promise<void> {
  let over = false;
  let served = 0;
  const wrong: string[] = [];
  const workers = Array.from({ length: 12 }, async (_, index) => {
    while (!over) {
      const problem = await one(index % 2 === 0);
      served += 1;
      if (problem !== undefined) wrong.push(problem);
    }
  });
  try {
    await until("traffic flows", () => served > 20);
    await run();
    const before = served;
    await until("traffic still flows", () => served > before + 20);
  } finally {
    over = true;
    await Promise.all(workers);
  }
  expect(wrong).toEqual([]);
}

/** A stream that lasts until it is read: it begins before what `meanwhile` does and ends after it. */
async function across(meanwhile: () => Promise<void>): Promise<string> {
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox" },
    body: JSON.stringify({
      model: "echo",
      stream: true,
      messages: [{ role: "user", content: "x" }],
      sandbox: { chunks: 60, chunk_latency_ms: 15 },
    }),
  });
  const reader = (response.body ?? expect.unreachable()).getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  await meanwhile();
  expect(text).not.toContain("[DONE]");
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value, { stream: true });
  return text;
}

/* ── a new generation ────────────────────────────────────────────────────────────────────────────────────────── */

describe("a new generation", () => {
  test("by the admin plane, again and again: no request fails", async () => {
    const before = await generation();
    await underTraffic(async () => {
      for (let i = 1; i <= 6; i += 1) {
        const answer = await reload();
        expect({ status: answer.status, json: answer.json as unknown }).toEqual({ status: 200, json: { number: before + i } });
      }
    });
    expect(await generation()).toBe(before + 6);
    await until(
      "the old generations end",
      () => gateway.output().includes(`"generation.ended"`) && endedGenerations().includes(before + 5),
    );
  }, 20_000);

  test("by SIGHUP: no request fails", async () => {
    const before = await generation();
    await underTraffic(async () => {
      process.kill(gateway.pid, "SIGHUP");
      await until("the next generation serves", async () => (await generation()) === before + 1);
    });
    await until("the log says so", () => gateway.output().includes(`"event":"generation.started","number":${before + 1}`));
  }, 15_000);

  test("asked for many times at once is made one after the other", async () => {
    const before = await generation();
    const answers = await Promise.all(Array.from({ length: 4 }, () => reload()));
    expect(answers.map(({ json }) => Number(json["number"])).sort((a, b) => a - b)).toEqual([1, 2, 3, 4].map((i) => before + i));
  }, 15_000);

  test("leaves streams that have begun on the one they began on", async () => {
    const text = await across(async () => {
      writeProfile({ plugins: { "provider/sandbox": { enabled: false } } });
      expect((await reload()).status).toBe(200);
      expect((await chat(gateway, {})).status).toBe(400); // gone for who comes now
    });
    expect({ words: words(text), end: text.slice(-14) }).toEqual({ words: 60, end: "data: [DONE]\n\n" });
    writeProfile();
    expect((await reload()).status).toBe(200);
    expect((await chat(gateway, {})).status).toBe(200);
  }, 15_000);

  test("writes the log of the requests before it", async () => {
    const answer = await chat(gateway, {});
    const logId = answer.headers.get("x-gateway-trace-id");
    expect((await reload()).status).toBe(200);
    await until(
      "the log written by the generation before",
      async () => (await ask(`${gateway.base}/v1/logs/${logId}`, "GET", GATEWAY_KEY)).status === 200,
    );
  }, 15_000);

  test("takes away what the new profile disables, and says so", async () => {
    const balanced = { "x-gateway-config": JSON.stringify({ strategy: { mode: "loadbalance" }, targets: [{ provider: "sandbox" }] }) };
    const route = `${gateway.base}/v1/models`;
    expect([(await chat(gateway, {}, balanced)).status, (await ask(route, "GET", GATEWAY_KEY)).status]).toEqual([200, 200]);
    writeProfile({ plugins: { "policy/loadbalance": { enabled: false }, "api/models": { enabled: false } } });
    await underTraffic(async () => void expect((await reload()).status).toBe(200));
    expect([(await chat(gateway, {}, balanced)).status, (await ask(route, "GET", GATEWAY_KEY)).status]).toEqual([400, 404]);
    expect([await stateOf("policy/loadbalance"), await stateOf("api/models"), await stateOf("provider/sandbox")]).toEqual([
      "disabled",
      "disabled",
      "running",
    ]);
    expect((await ask(`${gateway.base}/openapi.json`, "GET", null)).text).not.toContain('"/v1/models"');
    writeProfile();
    expect((await reload()).status).toBe(200);
    expect([(await chat(gateway, {}, balanced)).status, (await ask(route, "GET", GATEWAY_KEY)).status]).toEqual([200, 200]);
  }, 15_000);
});
const endedGenerations = (): number[] =>
  [...gateway.output().matchAll(/"event":"generation\.ended"[^\n]*"number":(\d+)/g)].map(([, number]) => Number(number));

test("SIGHUP while the gateway is starting is not lost: it is done as soon as it serves", async () => {
  const folder = mkdtempSync(join(home, "slow-"));
  const [begun, goOn] = [join(folder, "begun"), join(folder, "go-on")];
  const plugin = join(folder, "slow");
  mkdirSync(plugin);
  const manifest = { id: "slow", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Slow", entry: "plugin.mjs" };
  writeFileSync(join(plugin, "manifest.json"), JSON.stringify({ ...manifest, provides: [] }));
  writeFileSync(
    join(plugin, "plugin.mjs"),
    `import { existsSync, writeFileSync } from "node:fs";
     const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };
     async function setup() {
       writeFileSync(${JSON.stringify(begun)}, "");
       while (!existsSync(${JSON.stringify(goOn)})) await new Promise((resolve) => setTimeout(resolve, 10));
       return { provides: { checks: [] } };
     }
     export default { kind: "guardrail", config: schema, needs: [], setup };`,
  );
  const profile = join(folder, "profile.json");
  writeFileSync(profile, JSON.stringify({ title: "Slow", extends: "default", pluginsDir: "." }));
  const child = Bun.spawn([...SOURCE, "serve"], {
    env: { ...process.env, DATABASE_URL: "", REDIS_URL: "", PORT: "0", GATEWAY_DATA_DIR: join(folder, "data"), GATEWAY_PROFILE: profile },
    stdout: "ignore",
    stderr: "pipe",
  });
  await until("it is inside its boot", () => existsSync(begun), 10_000);
  child.kill("SIGHUP");
  writeFileSync(goOn, "");
  let printed = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    printed += decoder.decode(bytes, { stream: true });
    if (printed.includes('"event":"generation.started","number":2')) break;
  }
  child.kill("SIGTERM");
  expect({ code: await child.exited, printed }).toEqual({
    code: 0,
    printed: expect.stringContaining('"event":"generation.started","number":2'),
  });
}, 20_000);

/* ── one that cannot be built ────────────────────────────────────────────────────────────────────────────────── */

describe("a profile that cannot be built", () => {
  const BROKEN: readonly (readonly [string, string, RegExp])[] = [
    ["is not JSON", "{", /not JSON/],
    ["has an unknown member", JSON.stringify({ title: "x", extends: "default", plugin: {} }), /plugin/],
    ["extends one that is not there", JSON.stringify({ title: "x", extends: "./nowhere.json" }), /nowhere/],
    [
      "configures a required plugin wrongly",
      JSON.stringify({ title: "x", extends: "default", plugins: { "storage/sqlite": { config: { nonsense: 1 } } } }),
      /storage\/sqlite.*nonsense|nonsense/s,
    ],
    [
      "refers to a variable that is not set",
      JSON.stringify({
        title: "x",
        extends: "default",
        plugins: { "exporter/logs": { config: { headersToMask: "${NOT_SET_ANYWHERE}" } } },
      }),
      /NOT_SET_ANYWHERE/,
    ],
  ];
  test.each(BROKEN)(
    "because it %s leaves the old one serving, and says why",
    async (_, text, why) => {
      const before = await generation();
      writeFileSync(profileFile, text);
      await underTraffic(async () => {
        const answer = await reload();
        expect({ status: answer.status, error: answer.json["error"], said: why.test(answer.text) }).toMatchObject({
          status: 500,
          error: { message: expect.any(String) },
          said: true,
        });
      });
      expect(await generation()).toBe(before);
    },
    15_000,
  );

  test("by SIGHUP leaves the old one serving, and the log says why", async () => {
    const before = await generation();
    const from = gateway.output().length;
    writeFileSync(profileFile, "{ broken");
    await underTraffic(async () => {
      process.kill(gateway.pid, "SIGHUP");
      await until("the log says that the old one was kept", () => /generation\.kept[^\n]*not JSON/.test(gateway.output().slice(from)));
    });
    expect(await generation()).toBe(before);
    writeProfile();
    expect((await reload()).json["number"]).toBe((before + 1) as never); // a number, whatever `json` is typed
  }, 15_000);

  test("does not stop a stream that has begun", async () => {
    const text = await across(async () => {
      writeFileSync(profileFile, "{");
      expect((await reload()).status).toBe(500);
    });
    expect({ words: words(text), end: text.slice(-14) }).toEqual({ words: 60, end: "data: [DONE]\n\n" });
  });
});

/* ── one that would lose what runs ───────────────────────────────────────────────────────────────────────────── */

describe("a plugin that runs and that the next generation would lose", () => {
  const GUARDED = {
    "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [{ deny: true, "default.wordCount": { maxWords: 0 } }] }),
  };
  const typo = (name: string): Json => ({ plugins: { [name]: { config: { nonsense: 1 } } } });
  const force = (): Promise<Answer> => ask(`${gateway.base}/admin/v2/generations?force=true`, "POST", ADMIN_KEY);

  test.each(["guardrail/default", "exporter/logs", "provider/sandbox", "api/chat", "admin/configs"])(
    "%s, by a typing error in its configuration: the old generation goes on, and the answer and the log say which and why",
    async (name) => {
      const before = await generation();
      const from = gateway.output().length;
      writeProfile(typo(name));
      await underTraffic(async () => {
        const answer = await reload();
        expect({ status: answer.status, json: answer.json as unknown }).toEqual({
          status: 500,
          json: {
            error: expect.objectContaining({ message: expect.stringMatching(new RegExp(`would lose ${name}.*nonsense.*force=true`)) }),
          },
        });
      });
      expect([await generation(), await stateOf(name)]).toEqual([before, "running"]);
      expect((await chat(gateway, {}, GUARDED)).status).toBe(446);
      await until("the log says so", () => new RegExp(`generation\\.kept[^\\n]*${name}[^\\n]*nonsense`).test(gateway.output().slice(from)));
      writeProfile();
      expect((await reload()).status).toBe(200);
    },
    20_000,
  );

  test("by SIGHUP: the old generation goes on, and the log says why", async () => {
    const before = await generation();
    const from = gateway.output().length;
    writeProfile(typo("guardrail/default"));
    process.kill(gateway.pid, "SIGHUP");
    await until("the log says so", () => /generation\.kept[^\n]*guardrail\/default/.test(gateway.output().slice(from)));
    expect([await generation(), (await chat(gateway, {}, GUARDED)).status]).toEqual([before, 446]);
  }, 15_000);

  test("with force: it is lost, visibly, and what it guarded stays shut; the next change brings it back", async () => {
    const before = await generation();
    writeProfile(typo("guardrail/default"));
    const answer = await force();
    expect({ status: answer.status, json: answer.json as unknown }).toEqual({
      status: 200,
      json: { number: before + 1, not_running: [{ name: "guardrail/default", why: expect.stringContaining("there is no such member") }] },
    });
    expect([await stateOf("guardrail/default"), (await chat(gateway, {}, GUARDED)).status]).toEqual(["failed", 446]);
    await until("the log says so", () => /generation\.forced[^\n]*guardrail\/default/.test(gateway.output()));
    expect((await reload()).status).toBe(200); // what failed before is no loss any more
    writeProfile();
    expect((await reload()).status).toBe(200);
    expect(await stateOf("guardrail/default")).toBe("running");
  }, 15_000);

  test("with force, but required: the old generation goes on", async () => {
    const before = await generation();
    writeProfile(typo("policy/rate-limit"));
    expect({ status: (await force()).status, generation: await generation() }).toEqual({ status: 500, generation: before });
  });

  test("disabled by the profile is no loss; a force that is neither true nor false is refused", async () => {
    writeProfile({ plugins: { "exporter/logs": { enabled: false } } });
    expect((await reload()).status).toBe(200);
    writeProfile();
    expect((await reload()).status).toBe(200);
    expect((await ask(`${gateway.base}/admin/v2/generations?force=perhaps`, "POST", ADMIN_KEY)).status).toBe(400);
  }, 15_000);
});

describe("an external plugin that runs", () => {
  const PACK = `const schema = { [Symbol.for("TypeBox.Kind")]: "Object", type: "object", properties: {} };
    const check = { id: "outside.shut", title: "Shut", on: ["input"], params: schema, run: () => ({ verdict: "deny", reason: "shut" }) };
    export default { kind: "guardrail", config: schema, needs: [], setup: () => ({ provides: { checks: [check] } }) };`;
  const MANIFEST: Json = {
    id: "outside",
    kind: "guardrail",
    version: "1.0.0",
    contract: "^1.0.0",
    title: "Outside",
    entry: "plugin.mjs",
    provides: ["outside.shut"],
  };
  const SHUT = { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [{ deny: true, "outside.shut": {} }] }) };
  const folder = join(home, "plugins/outside");
  const write = (file: string, text: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const BROKEN: Readonly<Record<string, () => void>> = {
    "its code breaks": () => write("plugin.mjs", "export default {{{"),
    "its code throws": () => write("plugin.mjs", 'throw new Error("no luck today")'),
    "its manifest is no JSON": () => write("manifest.json", "{"),
    "its manifest asks for another contract": () => write("manifest.json", JSON.stringify({ ...MANIFEST, contract: "^9.0.0" })),
    "its manifest requires what is not there": () => write("manifest.json", JSON.stringify({ ...MANIFEST, requires: ["policy/absent"] })),
  };

  test("is not lost, whatever breaks in its folder; one whose folder is gone was taken away", async () => {
    write("manifest.json", JSON.stringify(MANIFEST));
    write("plugin.mjs", PACK);
    writeProfile({ pluginsDir: "plugins" });
    expect((await reload()).status).toBe(200);
    for (const [what, breakIt] of Object.entries(BROKEN)) {
      const before = await generation();
      breakIt();
      const answer = await reload();
      expect({ what, status: answer.status, text: answer.text }).toEqual({
        what,
        status: 500,
        text: expect.stringContaining("guardrail/outside"),
      });
      expect([await generation(), (await chat(gateway, {}, SHUT)).status]).toEqual([before, 446]);
      write("manifest.json", JSON.stringify(MANIFEST));
      write("plugin.mjs", PACK);
    }
    rmSync(folder, { recursive: true });
    expect((await reload()).status).toBe(200);
    expect((await chat(gateway, {}, SHUT)).status).toBe(400);
  }, 20_000);
});

/* ── what is kept ────────────────────────────────────────────────────────────────────────────────────────────── */

test("what is kept in memory alone survives a new generation: keys, counters, logs", async () => {
  const path = join(home, "memory.json");
  const write = (more: Json = {}): void =>
    writeFileSync(
      path,
      JSON.stringify({
        title: "Memory",
        extends: "default",
        plugins: { "storage/memory": { enabled: true }, "storage/sqlite": { enabled: false }, ...more },
      }),
    );
  write();
  const memory = await startGateway({ env: { GATEWAY_PROFILE: path } });
  try {
    const made = await ask(`${memory.base}/v2/api-keys/service`, "POST", ADMIN_KEY, {
      name: "five a week",
      workspace_id: "default",
      scopes: ["completions.write"],
      rate_limits: [{ type: "requests", unit: "rpw", value: 5 }],
    });
    const limited = { base: memory.base, gatewayKey: String(made.json["key"]) };
    const statuses = async (times: number): Promise<number[]> => {
      const all: number[] = [];
      for (let i = 0; i < times; i += 1) all.push((await chat(limited, {})).status);
      return all;
    };
    const logged = (await chat(memory, {})).headers.get("x-gateway-trace-id");
    expect(await statuses(3)).toEqual([200, 200, 200]);
    write({ "policy/loadbalance": { enabled: false } });
    expect((await reload(memory)).status).toBe(200);
    expect(await statuses(3)).toEqual([200, 200, 429]);
    expect((await ask(`${memory.base}/v1/logs/${logged}`, "GET", GATEWAY_KEY)).status).toBe(200);
  } finally {
    await memory.stop();
    memory.remove();
  }
}, 15_000);
