import { spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import { type CheckInput, defineCheck, definePlugin, type Handles, type HostBase, type Verdict } from "#contract";

const ALLOW: Verdict = { verdict: "allow" };
const never = (): Promise<never> => new Promise(() => undefined);
const kept: Uint8Array[] = [];

let made: string | undefined;
/** To make it takes its time in either process; what is tried is the answer. */
const madeOnce = (): string => (made ??= "x".repeat(50_000_000));

/** Writes to the gateway past the host: a head as JSON, with nothing behind it. */
function writeHead(head: object): void {
  const text = Buffer.from(JSON.stringify({ head, lists: [] }));
  const header = Buffer.alloc(5);
  header.writeUInt32LE(text.length, 1);
  const bytes = Buffer.concat([header, text]);
  for (let at = 0; at < bytes.length; ) at += writtenOf(bytes.subarray(at));
}
/** How many of them the pipe takes; none while it is full. */
function writtenOf(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch {
    return 0;
  }
}
const fetchHead = { name: "fetch", url: "http://127.0.0.1:9/", method: "GET", headers: {}, hasBody: false };

let here = 0;
/** How many are judged in its process at the same time. */
async function together(): Promise<Verdict> {
  here += 1;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const most = here;
  await new Promise((resolve) => setTimeout(resolve, 10));
  here -= 1;
  return { verdict: "allow", data: { most } };
}

/** Every way in which a check may fail, by what its text says. */
const DOES: Readonly<Record<string, () => unknown>> = {
  loop: () => {
    for (;;);
  },
  "loop later": async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (;;);
  },
  leak: async () => {
    for (;;) {
      kept.push(new Uint8Array(16_000_000).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  exit: () => process.exit(3),
  segfault: () => process.abort(),
  flood: async () => {
    for (let line = 0; line < 100_000; line += 1) console.log("x".repeat(100));
    process.stdout.write("x".repeat(1_000_000));
    return ALLOW;
  },
  garbage: async () => {
    writeSync(1, "hello there, this is no frame");
    return never();
  },
  giant: () => ({ verdict: "deny", reason: madeOnce() }),
  "giant data": () => ({ verdict: "allow", data: { filler: "x".repeat(20_000_000) } }),
  never,
  throws: () => {
    throw new Error("it does not work");
  },
  "rejects late": () => {
    setTimeout(() => void Promise.reject(new Error("too late")), 5);
    return never();
  },
  uncaught: () => {
    setTimeout(() => {
      throw new Error("nobody catches this");
    }, 5);
    return never();
  },
  malformed: () => ({ verdict: "maybe" }),
  nothing: () => undefined,
  "same call": () => {
    for (let call = 0; call < 50; call += 1) writeHead({ kind: "call", call: 1_000_000, to: fetchHead });
    return never();
  },
  "log lines": () => {
    for (const level of ["constructor", 7, null]) writeHead({ kind: "log", level, event: "no.level", fields: {} });
    for (const fields of [null, "text", [1], undefined]) writeHead({ kind: "log", level: "info", event: "no.fields", fields });
    writeHead({ kind: "log", level: "info", event: "x".repeat(100_000), fields: {} });
    writeHead({ kind: "log", level: "info", event: "long", fields: { filler: "x".repeat(100_000) } });
    for (let line = 0; line < 2_000; line += 1) writeHead({ kind: "log", level: "info", event: "many", fields: { line } });
    return ALLOW;
  },
  slow: () => new Promise((resolve) => setTimeout(() => resolve(ALLOW), 50)),
  signal: () => process.kill(process.ppid, "SIGTERM"),
  child: () => ({ verdict: "allow", data: { child: spawn("sleep", ["300"], { stdio: "ignore" }).pid } }),
  together,
  peeks: () => ({ verdict: "allow", data: { environment: readFileSync(`/proc/${process.ppid}/environ`, "latin1") } }),
};

const does = defineCheck({
  id: "faulty.does",
  title: "Does as it is told",
  on: ["input", "output"],
  params: Type.Object({ ignored: Type.Optional(Type.String({ description: "Nothing." })) }),
  problems: ({ ignored }) => (ignored === "wrong" ? ["it is wrong"] : []),
  run: ({ text }) => (text in DOES ? DOES[text]?.() : ALLOW) as Verdict, // the engine judges it
});

/** What a check sees there, and where it is. */
const looks = defineCheck({
  id: "faulty.looks",
  title: "Looks around",
  on: ["input", "output"],
  params: Type.Object({ words: Type.Array(Type.String(), { default: ["a"], description: "Words." }) }),
  wants: ["text", "tool_result"],
  scope: "all_messages",
  run: ({ params, side, text, segments, call, now, timeoutMs, signal }) => ({
    verdict: "allow",
    data: {
      ...{ pid: process.pid, environment: Object.keys(process.env).length, params, side, text, timeoutMs, isAborted: signal.aborted },
      segments: segments.map(({ path, role, kind }) => [path, role, kind]),
      ...{ requestType: call.requestType, provider: call.provider, model: call.model, metadata: call.metadata },
      request: call.request,
      status: call.status,
      ...{
        header: call.header("x-team"),
        key: call.header("x-gateway-api-key"),
        names: call.headerNames().filter((name) => name === "x-team"),
      },
      isNow: Math.abs(Date.now() - now) < 60_000,
    },
  }),
});

const masks = defineCheck({
  id: "faulty.masks",
  title: "Masks a word",
  on: ["input", "output"],
  params: Type.Object({}),
  transforms: true,
  run({ segments }) {
    const patches = segments
      .filter(({ text }) => text.includes("Bluebird"))
      .map(({ path, text }) => ({ path, text: text.replaceAll("Bluebird", "***") }));
    return patches.length === 0 ? ALLOW : { verdict: "transform", patches };
  },
});

const judges = defineCheck({
  id: "faulty.judges",
  title: "Refuses a word",
  on: ["input", "output"],
  params: Type.Object({}),
  run: ({ text }) => (text.includes("forbidden") ? { verdict: "deny", reason: "It says forbidden." } : ALLOW),
});

const asks = (host: Pick<Handles, "fetch" | "secrets"> & Pick<HostBase, "log">) =>
  defineCheck({
    id: "faulty.asks",
    title: "Asks its host",
    on: ["input"],
    params: Type.Object({ url: Type.String({ description: "Whom." }) }),
    async run(input: CheckInput<{ url: string }>): Promise<Verdict> {
      const { params, text, signal } = input;
      const account = text === "account" ? await input.credentials() : null;
      const secret = text === "secret" ? await host.secrets.read("FAULTY_KEY") : null;
      host.log("info", "faulty.asked", { text });
      const answer = await host.fetch(params.url, { method: "POST", headers: { "x-mine": "1" }, body: JSON.stringify({ text }), signal });
      return {
        verdict: "allow",
        data: { status: answer.status, said: await answer.text(), type: answer.headers.get("x-says"), account, length: secret?.length },
      };
    },
  });

export default definePlugin({
  kind: "guardrail",
  config: Type.Object({ tone: Type.String({ default: "calm", description: "Nothing." }) }, { additionalProperties: false }),
  needs: ["net:*", "secret:FAULTY_KEY", "credentials"],
  setup(host, { tone }) {
    if (tone === "unloadable") process.exit(9);
    const credentials = Type.Object({ apiKey: Type.String({ secret: true, description: "The key." }) }, { additionalProperties: false });
    return { provides: { checks: [does, looks, asks(host), masks, judges], credentials } };
  },
});
