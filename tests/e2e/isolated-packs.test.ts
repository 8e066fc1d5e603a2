/** Packs of checks in processes of their own: what crosses to them, and what a faulty one costs whom. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, ask, chat, until } from "./process.ts";
import { type PackGateway, startWithPack } from "./with-pack.ts";

const vendor = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (new URL(request.url).pathname === "/silent") await new Promise(() => undefined);
    return Response.json(
      { heard: await request.json(), mine: request.headers.get("x-mine") },
      { headers: { "x-says": "fine" }, status: 201 },
    );
  },
});
const url = `http://127.0.0.1:${vendor.port}`;

let faulty: PackGateway;
beforeAll(async () => {
  faulty = await startWithPack("faulty", {
    env: {
      ...{ GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${vendor.port}`, FAULTY_KEY: "key-of-faulty", MY_SECRET_TOKEN: "not-for-children" },
      ...{ GATEWAY_CHECK_DEADLINE_MS: "500", GATEWAY_CHECK_MEMORY_MB: "384" },
    },
  });
}, 30_000);
afterAll(async () => {
  await faulty.close();
  await vendor.stop(true);
});

interface Shown {
  readonly verdict: boolean;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly name: string; readonly message: string } | null;
}
interface Judged {
  readonly status: number;
  readonly check: Shown;
  readonly tookMs: number;
}
async function judged(checks: object, text: string, more: object = {}): Promise<Judged> {
  const startedAt = performance.now();
  const { status, json, text: answer } = await faulty.judged(checks, text, more);
  const results = json["hook_results"] as unknown as { before_request_hooks: readonly { checks: readonly Shown[] }[] } | undefined;
  const check = results?.before_request_hooks[0]?.checks[0];
  if (check === undefined) throw new Error(`no check was run: ${answer}`);
  return { status, check, tookMs: performance.now() - startedAt };
}
const does = (text: string, parameters: object = {}, more: object = {}): Promise<Judged> =>
  judged({ "faulty.does": parameters }, text, more);
const looks = async (text = "fine") => (await judged({ "faulty.looks": {} }, text)).check.data ?? {};

const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("a pack that says `isolate: process`", () => {
  test(verifies("G.isolate.process", "runs in another process, whose environment is empty, and sees its request as anywhere"), async () => {
    const data = await looks("Hello there");
    expect(data["pid"]).not.toBe(faulty.gateway.pid);
    expect(data).toMatchObject({
      environment: 0,
      params: { words: ["a"] },
      side: "input",
      text: "Hello there",
      timeoutMs: 5_000,
      isAborted: false,
      segments: [["messages[0].content", "user", "text"]],
      ...{ requestType: "chatComplete", provider: "sandbox", model: "echo", status: null, key: null, isNow: true },
      request: { model: "echo", messages: [{ role: "user", content: "Hello there" }] },
    });
  }, 30_000);

  test(verifies("G.isolate.crosses", "passes, denies and changes texts, every character kept"), async () => {
    expect((await judged({ "faulty.judges": {} }, "fine")).status).toBe(200);
    expect(await judged({ "faulty.judges": {} }, "forbidden")).toMatchObject({ status: 446, check: { verdict: false, error: null } });
    const said = await faulty.judged({ "faulty.masks": {} }, "Bluebird \ud83d 😀");
    expect(said.text).toContain("*** ");
    expect(said.text).not.toContain("Bluebird");
  }, 30_000);

  test(verifies(
    "G.isolate.crosses",
    "judges answers too, whole and streamed: what it changes is gone, what it denies never leaves",
  ), async () => {
    for (const stream of [false, true]) {
      const answered = (check: string, content: string) =>
        chat(
          faulty.gateway,
          { stream, messages: [{ role: "user", content }] },
          { "x-gateway-config": JSON.stringify({ provider: "sandbox", output_guardrails: [{ [check]: {}, deny: true }] }) },
        );
      const masked = await answered("faulty.masks", "Bluebird flies");
      expect([masked.status, masked.text.includes("Bluebird"), masked.text.includes("***")]).toEqual([200, false, true]);
      const denied = await answered("faulty.judges", "a forbidden word");
      expect([denied.status, denied.text.includes("forbidden word")]).toEqual([446, false]);
    }
  }, 30_000);

  test(verifies("G.isolate.crosses", "asks vendors through the gateway, with secrets and accounts that its manifest names"), async () => {
    const { check } = await judged({ "faulty.asks": { url } }, "secret");
    expect(check.data).toMatchObject({ status: 201, type: "fine", length: "key-of-faulty".length });
    expect(JSON.parse(String(check.data?.["said"]))).toEqual({ heard: { text: "secret" }, mine: "1" });
    expect((await judged({ "faulty.asks": { url } }, "account")).check.error?.name).toBe("Authentication error");
    const refused = await judged({ "faulty.asks": { url: "http://127.0.0.1:9/x" } }, "hi");
    expect(refused.check.error).toMatchObject({ message: expect.stringContaining("may not be called") });
  }, 30_000);

  test(verifies("G.isolate.environment", "does not find the gateway's secrets in what the system shows of its environment"), async () => {
    const { check } = await does("peeks");
    expect(check.data?.["environment"]).toContain("MY_SECRET_TOKEN=\0");
    expect(check.data?.["environment"]).not.toContain("not-for-children");
  }, 30_000);

  test("has its parameters judged there, when a guardrail is bound", async () => {
    const { status, text } = await faulty.judged({ "faulty.does": { ignored: "wrong" } }, "fine");
    expect([status, text]).toEqual([400, expect.stringContaining("it is wrong")]);
  }, 30_000);

  test(verifies("G.isolate.shown", "is shown as such by the list of plugins and by the metrics"), async () => {
    await looks();
    const plugins = (await ask(`${faulty.gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY)).json["data"] as unknown as readonly {
      name: string;
      isolate: string;
    }[];
    expect(plugins.find(({ name }) => name === "guardrail/faulty")?.isolate).toBe("process");
    expect(plugins.find(({ name }) => name === "guardrail/default")?.isolate).toBe("none");
    const metrics = (await ask(`${faulty.gateway.base}/metrics`, "GET", null)).text;
    expect(metrics).toMatch(/gateway_isolated_started_total\{plugin="guardrail\/faulty"\} [1-9]/);
    expect(metrics).toMatch(/gateway_isolated_judged_total\{plugin="guardrail\/faulty"\} [1-9]/);
  }, 30_000);
});

describe("an isolated check that fails", () => {
  const DEATHS: readonly (readonly [does: string, message: RegExp])[] = [
    ["loop", /busy/],
    ["loop later", /busy/],
    ["leak", /MB of memory/],
    ["exit", /ended \(code 3\)/],
    ["segfault", /ended/],
    ["garbage", /standard output/],
    ["giant", /characters/],
  ];
  test.each(DEATHS)(
    verifies("G.isolate.contained", "by `%s` is the error budget, and closes where the guardrail denies; the next is judged"),
    async (what, message) => {
      expect(await does(what)).toMatchObject({
        status: 446,
        check: { verdict: false, error: { name: "Budget error", message: expect.stringMatching(message) } },
      });
      expect(await does("fine")).toMatchObject({ status: 200, check: { verdict: true, error: null } });
    },
    30_000,
  );

  const ERRORS: readonly (readonly [does: string, name: string, message: RegExp])[] = [
    ["throws", "Check error", /it does not work/],
    ["malformed", "Check error", /verdict/],
    ["nothing", "Check error", /verdict/],
    ["signal", "Check error", /may not signal/],
    ["never", "Timeout", /300 ms/],
    ["rejects late", "Timeout", /300 ms/],
    ["uncaught", "Timeout", /300 ms/],
  ];
  test.each(ERRORS)(
    "by `%s` is the error %s",
    async (what, name, message) => {
      const { check } = await does(what, { timeout: 300 });
      expect([check.verdict, check.error?.name, check.error?.message]).toEqual([
        false,
        expect.stringContaining(name),
        expect.stringMatching(message),
      ]);
      expect((await does("fine")).check.verdict).toBe(true);
    },
    30_000,
  );

  test("by a loop is the error budget with a short timeout of its own, too: a text must not open the door by it", async () => {
    const { status, check } = await does("loop", { timeout: 290 });
    expect([status, check.error?.name]).toEqual([446, "Budget error"]);
  }, 30_000);

  test("keeps its process when it only waits, floods its output, or shows too much", async () => {
    const { pid } = await looks();
    for (const what of ["never", "flood", "giant data"]) await does(what, { timeout: 2_000 });
    expect((await looks())["pid"]).toBe(pid ?? 0);
  }, 30_000);

  test(verifies(
    "G.isolate.beside",
    "costs its own deadline: it does not take others of its pack with it, nor hold up other packs",
  ), async () => {
    await does("fine");
    const guilty = does("loop");
    const slow = Promise.all(Array.from({ length: 8 }, () => does("slow")));
    const other = await judged({ "default.contains": { words: ["zebra"], operator: "none" } }, "fine");
    expect(other.tookMs).toBeLessThan(1_000);
    for (const { status, check } of await slow) expect([status, check.error]).toEqual([200, null]);
    expect((await guilty).check.error?.name).toBe("Budget error");
  }, 30_000);

  test("stops asking its vendor when its time is up", async () => {
    const { check } = await judged({ "faulty.asks": { url: `${url}/silent`, timeout: 200 } }, "hi");
    expect(check.error?.name).toContain("Timeout");
    await until("the call is cut", () => vendor.pendingRequests === 0);
  }, 30_000);
});

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

describe("the processes of an isolated pack", () => {
  test(verifies("G.isolate.end", "end with their gateway, also when it is killed"), async () => {
    const own = await startWithPack("faulty");
    await own.judged({ "faulty.looks": {} }, "fine");
    const pids = childrenOf(own.gateway.pid);
    expect(pids.length).toBeGreaterThan(0);
    const looping = own.judged({ "faulty.does": {} }, "loop").catch(() => undefined);
    await own.gateway.stop("SIGKILL");
    await looping;
    await until("they are gone", () => pids.every((pid) => !isAlive(pid)));
    await own.close();
  }, 30_000);

  test.each(["loop", "exit", "gateway"])(
    verifies("G.isolate.children", "take those that they started with them, when they end by `%s`"),
    async (how) => {
      const own = await startWithPack("faulty", { env: { GATEWAY_CHECK_DEADLINE_MS: "500" } });
      const { text } = await own.judged({ "faulty.does": {} }, "child");
      const child = Number(/"child":(\d+)/.exec(text)?.[1]);
      expect([isAlive(child), text]).toEqual([true, text]);
      if (how === "gateway") await own.gateway.stop("SIGKILL");
      else await own.judged({ "faulty.does": {} }, how);
      await until("it is gone", () => !isAlive(child));
      await own.close();
    },
    30_000,
  );

  test("that never come up leave the gateway as it is, which names the pack", async () => {
    const own = await startWithPack("faulty", { profile: { plugins: { "guardrail/faulty": { config: { tone: "unloadable" } } } } });
    const plugins = (await ask(`${own.gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY)).json["data"] as unknown as readonly {
      name: string;
      state: string;
      why: string;
    }[]; // the route's own schema
    expect(plugins.find(({ name }) => name === "guardrail/faulty")).toMatchObject({
      state: "failed",
      why: expect.stringContaining("its process ended (code 9)"),
    });
    expect((await own.judged({ "default.contains": { words: ["zebra"], operator: "none" } }, "fine")).status).toBe(200);
    await until("no process of it is left", () => childrenOf(own.gateway.pid).length === 0);
    await own.close();
  }, 30_000);

  test("end when it is stopped, and are there by the operator's word alone", async () => {
    const own = await startWithPack("stuck", { profile: { plugins: { "guardrail/stuck": { isolate: "process" } } } });
    const { json } = await own.judged({ "stuck.waits": { ms: 1 } }, "fine");
    expect(JSON.stringify(json)).toContain('"verdict":true');
    const pids = childrenOf(own.gateway.pid);
    expect(pids.length).toBe(1);
    await own.close();
    expect(pids.filter(isAlive)).toEqual([]);
  }, 30_000);
});
