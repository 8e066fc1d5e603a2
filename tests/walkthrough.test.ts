/**
 * The README's walk-throughs, followed word by word in a copy of the tree: files are written as they stand there,
 * commands are run as they stand there, and the number of files each takes is the one that is promised. Whoever keeps what
 * they make keeps a green suite: what looks at the whole tree is run in the copy too.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isJson, type Json } from "#contract";
import { jsonAnswer, replayServer } from "#kit";
import { type GatewayProcess, startGateway, until } from "./e2e/process.ts";
import { readmePart, ROOT, type Step, stepsIn } from "./readme.ts";

const copy = mkdtempSync(join(tmpdir(), "gateway-walkthrough-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Tests that start whole gateways, save those of them that ask every plugin of the tree. */
const NOT_COPIED = /\/tests\/(slow$|e2e\/.*\.test\.ts$)/;
const LOOKS_AT_TREE = /\/tests\/e2e\/(route-census|missing-secret)\.test\.ts$/;
const LEFT_OUT = new Set(["node_modules", ".git", "data", "dist", ".cache"]);
beforeAll(async () => {
  for (const name of readdirSync(ROOT))
    if (!LEFT_OUT.has(name))
      cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (path) => !NOT_COPIED.test(path) || LOOKS_AT_TREE.test(path) });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  await done("npm run gen");
}, 60_000);

/* ── reading the README ──────────────────────────────────────────────────────────────────────────────────────── */

/** One step, its shell as single commands. */
type WalkStep = { readonly run: string } | Exclude<Step, { readonly shell: string }>;

function stepsOf(name: string, id: string): readonly WalkStep[] {
  const part = readmePart("walkthrough", name).replaceAll(walkNamed(name).makes, id);
  return stepsIn(part).flatMap((step): readonly WalkStep[] => ("shell" in step ? commandsIn(step.shell).map((run) => ({ run })) : [step]));
}
const commandsIn = (text: string): string[] =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "");

/* ── following it ────────────────────────────────────────────────────────────────────────────────────────────── */

async function sh(command: string, env: Readonly<Record<string, string>> = {}): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(["sh", "-c", command], { cwd: copy, env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [code, out, errors] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code, out: code === 0 ? out : `${command}\n${out}${errors}` };
}
const done = async (command: string): Promise<void> => expect(await sh(command)).toMatchObject({ code: 0 });

async function follow(step: WalkStep): Promise<void> {
  if ("run" in step) await done(step.run);
  else if ("write" in step) writeNew(step.write, step.text);
  else addTo(join(copy, step.add), step.members);
}
function writeNew(path: string, text: string): void {
  expect([path, existsSync(join(copy, path))]).toEqual([path, false]);
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}
function addTo(file: string, members: Json): void {
  const before: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJson(before)) throw new Error(`${file} holds no object`);
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const added = Object.entries(members).map(([name, value]) => [name, [...list(before[name]), ...list(value)]]);
  writeFileSync(file, `${JSON.stringify({ ...before, ...Object.fromEntries(added) }, null, 2)}\n`);
}

/** Written by `npm run gen`; nobody edits them. */
const GENERATED =
  /^(core\/generated\/|storage\/tables\/snapshot\.ts|storage\/\w+\/migrations\/|guardrails\/[\w-]+\/checks\/index\.ts|docs\/(?:guardrails|dialects)\.md|README\.md)/;

/** Content hash of every file that a person writes. */
function files(): ReadonlyMap<string, string> {
  const paths = readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((path) => !LEFT_OUT.has(path.split("/")[0] ?? ""));
  return new Map(
    paths
      .filter((path) => !GENERATED.test(path) && statSync(join(copy, path)).isFile())
      .map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(copy, path)))
          .digest("hex"),
      ]),
  );
}
function touchedSince(before: ReadonlyMap<string, string>): string[] {
  return [...files()]
    .filter(([path, hash]) => before.get(path) !== hash)
    .map(([path]) => path)
    .sort();
}

/** What a walk-through makes, as the README calls it, and the files that this adds or changes, beside what is generated. */
interface Walk {
  readonly makes: string;
  files(id: string): readonly string[];
}
const WALKS: Readonly<Record<string, Walk>> = {
  check: {
    makes: "mentions",
    files: (id) => [
      ...[`${id}.test.ts`, `${id}.ts`].map((name) => `guardrails/default/checks/${name}`),
      "guardrails/default/manifest.json",
    ],
  },
  provider: { makes: "acme", files: (id) => [`providers/${id}/manifest.json`] },
  resource: {
    makes: "notes",
    files: (id) => ["index.ts", "manifest.json", `${id}.test.ts`, "resource.ts", "schema.ts"].map((name) => `plugins/admin/${id}/${name}`),
  },
  strategy: {
    makes: "last-first",
    files: (id) => ["index.ts", `${id}.test.ts`, "manifest.json"].map((name) => `plugins/policy/${id}/${name}`),
  },
};
const walkNamed = (name: string): Walk => WALKS[name] ?? expect.unreachable();

/** What it makes here: where the tree has that already, because somebody kept it, another of the same name. */
function freeId({ makes, files }: Walk): string {
  const isFree = (id: string): boolean => !existsSync(join(copy, files(id)[0] ?? ""));
  return [makes, ...Array.from({ length: 9 }, (_, i) => `${makes}${i + 2}`)].find(isFree) ?? expect.unreachable();
}

/** Follows it, but for its curl, and tells what it made. */
async function walk(name: string, leaveOut = /^curl/): Promise<string> {
  const id = freeId(walkNamed(name));
  const before = files();
  for (const step of stepsOf(name, id)) if (!("run" in step && leaveOut.test(step.run))) await follow(step);
  expect(touchedSince(before)).toEqual(walkNamed(name).files(id).toSorted());
  return id;
}

/** What the walk-throughs made. */
const made = new Map<string, string>();

describe("as the README says", () => {
  for (const name of Object.keys(WALKS))
    test(`a ${name} takes the files that are promised, and its tests pass`, async () => {
      made.set(name, await walk(name));
    }, 120_000);

  test("a resource's migrations are generated for each database, and are then fresh", async () => {
    for (const storage of ["sqlite", "postgres"]) {
      const added = readdirSync(join(copy, `storage/${storage}/migrations`)).filter(
        (name) => !existsSync(join(ROOT, `storage/${storage}/migrations`, name)),
      );
      expect(added).toEqual([expect.stringMatching(/notes.*\.sql$/)]);
    }
    await done("npm run gen -- --check");
  }, 60_000);
});

describe("in the running gateway", () => {
  const upstream = replayServer(
    jsonAnswer({
      id: "c1",
      object: "chat.completion",
      created: 1,
      model: "acme-1",
      choices: [{ index: 0, message: { role: "assistant", content: "from Acme" }, finish_reason: "stop" }],
    }),
  );
  let gateway: GatewayProcess;
  /** The walk-through's own curl, at the port that this gateway has. */
  const curl = async (name: string, more = ""): Promise<string> => {
    const line =
      stepsOf(name, made.get(name) ?? expect.unreachable())
        .flatMap((step) => ("run" in step && step.run.startsWith("curl") ? [step.run] : []))
        .at(0) ?? expect.unreachable();
    return (await sh(`${line.replace("http://127.0.0.1:8787", gateway.base)} ${more}`, { ACME_API_KEY: "key-of-acme" })).out;
  };
  beforeAll(async () => {
    const env = { GATEWAY_ADMIN_KEY: "", GATEWAY_API_KEY: "", GATEWAY_DATA_DIR: "data", GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host };
    gateway = await startGateway({ command: [process.execPath, join(copy, "core/main.ts")], cwd: copy, env });
    await until("the keys are written", () => existsSync(join(copy, "data/gateway.key")));
  }, 30_000);
  afterAll(async () => {
    await gateway?.stop();
    await upstream.close();
  });

  test("the check denies", async () => {
    expect(JSON.parse(await curl("check"))).toMatchObject({
      error: { type: "hooks_failed" },
      hook_results: {
        before_request_hooks: [{ verdict: false, checks: [{ id: `default.${made.get("check")}`, data: { names: ["ada"] } }] }],
      },
    });
  });
  test("the provider answers", async () => {
    expect(await curl("provider", `-H "x-gateway-custom-host: ${upstream.url}/v1"`)).toContain("from Acme");
    expect(upstream.received.at(-1)?.headers.get("authorization")).toBe("Bearer key-of-acme");
    expect(upstream.received.at(-1)?.path).toBe("/v1/chat/completions");
  });
  test("the resource is kept", async () => {
    expect(JSON.parse(await curl("resource"))).toMatchObject({ name: "First", note: null });
    expect(JSON.parse(await curl("resource"))).toMatchObject({ error: { code: "AB07" } }); // its name is unique
  });
  test("the strategy chooses", async () => {
    expect((await curl("strategy")).toLowerCase()).toMatch(/x-gateway-last-used-option-index: config\.targets\[1\]/);
  });
});

/** Every kind, and where its plugin comes to lie. The provider that is one manifest has no test of its own. */
const MADE: Readonly<Record<string, string>> = {
  guardrail: "guardrails",
  provider: "providers",
  storage: "storage",
  policy: "plugins/policy",
  admin: "plugins/admin",
  api: "plugins/api",
  exporter: "plugins/exporter",
  price: "plugins/price",
  tokenizer: "plugins/tokenizer",
  mail: "plugins/mail",
  cache: "plugins/cache",
  secret: "plugins/secret",
};

test("a tree that keeps all this, and a plugin of every kind from its template, stays green", async () => {
  for (const kind of [...Object.keys(MADE), "openai-compatible"]) await done(`npm run gateway -- new ${kind} made-${kind}`);
  await done("npm run gateway -- new console console");
  await done("npm run gen");
  await done("npm run check -- --static");
  await done("npm run gateway -- check");
  const folders = Object.entries(MADE).map(([kind, home]) => `./${home}/made-${kind}`);
  const lookAtTree = ["./core/build", ...["conformance", "architecture", "e2e/route-census", "e2e/missing-secret"].map(testFile)];
  await done(`npm test -- ${folders.join(" ")} ./plugins/console ${lookAtTree.join(" ")}`);
}, 240_000);
const testFile = (name: string): string => `./tests/${name}.test.ts`;

test("there, the walk-throughs can be followed again, under names that are free", async () => {
  for (const name of Object.keys(WALKS)) expect(await walk(name, /^(curl|npm test)/)).not.toBe(made.get(name) ?? "");
}, 60_000);
