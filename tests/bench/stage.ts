/** What bench and soak play on: processes of their own, a workspace with everything switched on, one long conversation. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CHUNKS = 200;
const PACED_MODEL = "bench-paced";
/** Between two chunks of a paced stream: longer than any process here takes for one. */
const GAP_MS = 2;
const KEY = "benchGatewayKey0123456789abcdefABCDEF";
const ADMIN = "benchAdminKey0123456789abcdefABCDEFGH";
const bun = process.execPath;
const children: Bun.Subprocess[] = [];

export interface Proc {
  readonly port: number;
  readonly pid: number;
}

export async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Proc> {
  const child = Bun.spawn([bun, ...args], { stdout: "pipe", stderr: "inherit", env: { ...process.env, ...env } });
  children.push(child);
  const port = await firstPort(child.stdout);
  return { port, pid: child.pid };
}

async function firstPort(stream: ReadableStream<Uint8Array>): Promise<number> {
  let text = "";
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the process ended before it listened: ${text}`);
    text += new TextDecoder().decode(value);
    const port = /^(\d{3,5})\s*$/m.exec(text)?.[1] ?? /https?:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port) {
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return Number(port);
    }
  }
}

/** User and system CPU of a process and its memory, from /proc (clock ticks are 10 ms on Linux). */
export async function usageOf(pid: number): Promise<{ cpuUs: number; rssMb: number }> {
  const stat = (await Bun.file(`/proc/${pid}/stat`).text()).split(") ")[1]?.split(" ") ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text())?.[1] ?? "0";
  return { cpuUs: (Number(stat[11]) + Number(stat[12])) * 10_000, rssMb: Number(rss) / 1024 };
}

export const startUpstream = (): Promise<Proc> => start(["tests/bench/upstream.ts", "0", String(CHUNKS), PACED_MODEL, String(GAP_MS)]);

/** A gateway that may call this upstream: `profile` is what its profile says beyond the default one, `tree` the checkout it runs from. */
export async function startGateway(upstream: Proc, dir: string, profile: object = {}, tree = "."): Promise<Proc> {
  const file = join(dir, "profile.json");
  await Bun.write(file, JSON.stringify({ title: "bench", extends: "default", ...profile }));
  return start([join(tree, "core/main.ts"), "serve"], {
    PORT: "0",
    GATEWAY_PROFILE: file,
    GATEWAY_DATA_DIR: dir,
    GATEWAY_API_KEY: KEY,
    GATEWAY_ADMIN_KEY: ADMIN,
    GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${upstream.port}`,
  });
}

/** Runs on a folder of its own and leaves neither it nor a process behind. */
export async function onStage(play: (folder: (name: string) => string) => Promise<void>): Promise<void> {
  const made: string[] = [];
  const folder = (name: string): string => {
    const path = mkdtempSync(join(tmpdir(), `bench-${name}-`));
    made.push(path);
    return path;
  };
  try {
    await play(folder);
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exited));
    for (const path of made) rmSync(path, { recursive: true, force: true });
  }
}

/** How much a request says: a few short turns (1.4 kB, about 350 tokens), a prompt and answers of usual size (8 kB, about 2,000), or 1 MB. */
export type Length = "short" | "long" | "megabyte";
const REPEATS: { readonly [L in Length]: { readonly prompt: number; readonly turn: number } } = {
  short: { prompt: 8, turn: 6 },
  long: { prompt: 80, turn: 42 },
  megabyte: { prompt: 80, turn: 8_300 },
};
/** How the chunks of a stream come: as fast as they can be read, several in a piece, or each in a socket write of its own. */
export type Pace = "at-once" | "one-by-one";
const MODELS: Readonly<Record<Pace, string>> = { "at-once": "bench-1", "one-by-one": PACED_MODEL };

export const message = (stream: boolean, length: Length = "short", pace: Pace = "at-once"): string =>
  JSON.stringify({ model: MODELS[pace], messages: turns(length), ...(stream && { stream: true }) });

/** The conversation, in the chat form: what the system says comes first. */
export function turns(length: Length = "short"): readonly { readonly role: string; readonly content: string }[] {
  const { prompt, turn } = REPEATS[length];
  return [
    { role: "system", content: "You are a helpful assistant. ".repeat(prompt) },
    ...Array.from({ length: 6 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `Turn ${i}: ${"tell me about foxes. ".repeat(turn)}`,
    })),
    { role: "user", content: "And dogs?" },
  ];
}

/** What a request says to the gateway alone: whom it goes to, and that no body is kept. */
export const gatewayHeaders = (provider: string, upstream: number): Record<string, string> => ({
  ...{ "x-gateway-api-key": KEY, "x-gateway-debug": "false", authorization: "Bearer sk-bench" },
  ...{ "x-gateway-provider": provider, "x-gateway-custom-host": `http://127.0.0.1:${upstream}/v1` },
});

/** The control plane of a gateway, and the workspace of its first key. */
interface Desk {
  post(path: string, body: unknown): Promise<Record<string, unknown>>;
  readonly workspaceId: string | undefined;
}
async function deskOf(gateway: Proc): Promise<Desk> {
  const base = `http://127.0.0.1:${gateway.port}`;
  const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
  const keys = (await (await fetch(`${base}/v2/api-keys?page_size=10`, { headers })).json()) as {
    data: { type: string; workspace_id: string }[];
  };
  return {
    workspaceId: keys.data.find((key) => key.type === "workspace-service")?.workspace_id,
    async post(path, body) {
      const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
      const json = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(json)}`);
      return json;
    },
  };
}

const ACTIONS = {
  deny: true,
  async: false,
  on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
  on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
};
/** Saves a guardrail that denies; says its slug. */
export async function guardrailOf(gateway: Proc, name: string, checks: readonly object[]): Promise<string> {
  const { post, workspaceId } = await deskOf(gateway);
  return String((await post("/v2/guardrails", { name, workspace_id: workspaceId, actions: ACTIONS, checks }))["slug"]);
}

/** Request headers of the two profiles: `bare` has a key and a provider, `governed` everything. */
export async function setUp(gateway: Proc, upstream: number): Promise<Record<"bare" | "governed", Record<string, string>>> {
  const { post, workspaceId } = await deskOf(gateway);
  const key = await post("/v2/api-keys/service", {
    name: "bench",
    workspace_id: workspaceId,
    scopes: ["completions.write"],
    rate_limits: [{ type: "requests", unit: "rpm", value: 100_000_000 }],
  });
  await post("/v2/policies/rate-limits", {
    name: "bench",
    workspace_id: workspaceId,
    type: "requests",
    unit: "rpm",
    value: 100_000_000,
    conditions: [{ key: "api_key", value: "*" }],
    group_by: [{ key: "api_key" }],
  });
  const guardrail = await guardrailOf(gateway, "bench", [
    { id: "default.regexMatch", parameters: { rule: "forbidden-\\d+", not: true } },
    { id: "default.wordCount", parameters: { maxWords: 5000 } },
    { id: "default.contains", parameters: { words: ["drop table"], operator: "none" } },
  ]);
  const bare = gatewayHeaders("openai", upstream);
  const { "x-gateway-debug": _logged, ...host } = bare;
  return { bare, governed: { ...host, "x-gateway-api-key": String(key["key"]), "x-gateway-config": configOf(upstream, [guardrail]) } };
}
/** A config with these guardrails on what is asked, as its header says it. */
export const configOf = (upstream: number, input_guardrails: readonly string[]): string =>
  JSON.stringify({
    provider: "openai",
    custom_host: `http://127.0.0.1:${upstream}/v1`,
    ...(input_guardrails.length > 0 && { input_guardrails }),
  });
