/** `/openapi.json`: right by a public linter, whole in every row, and a client made of it works. */
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isJson, type Json } from "#contract";
import { typesOf } from "../openapi-client/generate.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let text = "";
let document: Json = {};
beforeAll(async () => {
  gateway = await startGateway();
  text = await (await fetch(`${gateway.base}/openapi.json`)).text();
  document = JSON.parse(text) as Json;
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

/** Of the recommended rules, those that some rows break with reason. */
const EXCEPTED = {
  "operation-2xx-response": ["/v1/realtime"], // a WebSocket is answered with 101
  "operation-4xx-response": ["/", "/v1/health", "/healthz", "/readyz"], // asked without a key, by whoever watches: nobody is refused
};

test(verifies("D.linter", "a public linter finds nothing wrong with it, by its recommended rules"), async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
  const excepted: Readonly<Record<string, readonly string[]>> = EXCEPTED;
  const found = problems.map(({ severity, ruleId, message, location }) => ({ severity, ruleId, message, at: location[0]?.pointer ?? "" }));
  const pathAt = (pointer: string): string => (pointer.split("/")[2] ?? "").replaceAll("~1", "/");
  expect(found.filter(({ ruleId, at }) => !excepted[ruleId]?.includes(pathAt(at)))).toEqual([]);
  for (const [rule, paths] of Object.entries(EXCEPTED))
    expect(found.flatMap(({ ruleId, at }) => (ruleId === rule ? [pathAt(at)] : [])).sort()).toEqual([...paths].sort());
}, 60_000);

const object = (value: unknown): Json => (isJson(value) ? value : {});
const resolved = (value: unknown): Json => {
  const ref = object(value)["$ref"];
  if (typeof ref !== "string") return object(value);
  return object(ref.slice(2).split("/").reduce<unknown>((at, name) => object(at)[name], document)); // biome-ignore format: one step
};
interface Row {
  readonly name: string;
  readonly operation: Json;
  readonly method: string;
}
const rows = (): readonly Row[] =>
  Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({ name: `${method} ${path}`, method, operation: object(operation) })),
  );
/** Each body and answer of a row, by its media type. */
const mediaOf = ({ operation }: Row): readonly (readonly [at: string, media: Json])[] =>
  [["body", operation["requestBody"]] as const, ...Object.entries(object(operation["responses"]))].flatMap(([at, holder]) =>
    Object.entries(object(resolved(holder)["content"])).map(([type, media]) => [`${at} ${type}`, object(media)] as const),
  );
const examplesOf = (media: Json): readonly unknown[] =>
  "example" in media ? [media["example"]] : Object.values(object(media["examples"])).map((example) => object(example)["value"]);

describe(verifies("D.rows", "every operation"), () => {
  test("says what it does, under which heading, and which key it takes", () => {
    for (const { name, operation } of rows()) {
      const { summary, tags, description, operationId, security = document["security"] } = operation;
      expect([name, summary, tags, description, operationId]).toEqual([
        ...[name, expect.stringMatching(/\S/), [expect.stringMatching(/\S/)], expect.stringMatching(/\S/), expect.stringMatching(/^\w+$/)],
      ]);
      expect([name, Array.isArray(security)]).toEqual([name, true]);
    }
    const ids = rows().map(({ operation }) => operation["operationId"]);
    expect(new Set(ids).size).toBe(ids.length);
  });
  test("has a schema for its body, its good answer and every error", () => {
    for (const row of rows()) {
      const media = mediaOf(row);
      const statuses = Object.keys(object(row.operation["responses"]));
      const isBodied = (status: string): boolean => !["101", "304"].includes(status);
      for (const status of statuses.filter(isBodied))
        expect([row.name, media.map(([at]) => at.split(" ")[0])]).toEqual([row.name, expect.arrayContaining([status])]);
      for (const [at, { schema }] of media) expect([row.name, at, isJson(schema)]).toEqual([row.name, at, true]);
      expect([row.name, statuses.some((status) => /^[12]/.test(status))]).toEqual([row.name, true]);
    }
  });
  test("has an example for its body and its answers, which their schemas accept", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const row of rows())
      for (const [at, media] of mediaOf(row)) {
        if (at.endsWith("text/event-stream")) continue; // its frames are the dialect's, told by the whole answer's example
        const examples = examplesOf(media);
        expect([row.name, at, examples.length > 0]).toEqual([row.name, at, true]);
        const judge = ajv.compile({ ...object(media["schema"]), components: document["components"] });
        for (const example of examples)
          expect([row.name, at, example, judge(example), judge.errors]).toEqual([row.name, at, example, true, null]);
      }
  }, 60_000);
  test("of the control and admin planes names the headers that it obeys", () => {
    const namesOf = ({ operation }: Row): readonly unknown[] =>
      (operation["parameters"] as readonly Json[] | undefined)?.map((parameter) => resolved(parameter)["name"]) ?? [];
    const row = (name: string): Row => rows().find((one) => one.name === name) ?? expect.unreachable(name);
    expect(namesOf(row("get /v2/configs/{slug}"))).toContain("if-none-match");
    expect(object(row("get /v2/configs/{slug}").operation["responses"])["304"]).toMatchObject({ headers: { etag: {} } });
    for (const name of ["put /v2/configs/{slug}", "delete /v2/configs/{slug}"]) {
      expect(namesOf(row(name))).toContain("if-match");
      expect(object(row(name).operation["responses"])["412"]).toBeDefined();
    }
    for (const { name, operation, method } of rows().filter(({ name }) => /^post \/(v2|admin)/.test(name)))
      if ((operation["security"] as unknown[]).length > 0)
        expect([name, method, namesOf({ name, operation, method })]).toEqual([name, method, expect.arrayContaining(["idempotency-key"])]);
  });
});

const COMPILER = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: "ESNext", module: "Preserve", moduleResolution: "bundler" },
    ...{ lib: ["ESNext", "DOM", "DOM.Iterable"], types: ["bun-types"], allowImportingTsExtensions: true, noUncheckedIndexedAccess: true },
  },
  include: ["*.ts"],
};
async function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  expect({ code, out: code === 0 ? "" : out + err }).toEqual({ code: 0, out: "" });
  return out;
}

test(verifies("D.client", "a client generated from it is accepted by the compiler, and walks through the gateway"), async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-client-"));
  try {
    const root = join(import.meta.dir, "../..");
    copyFileSync(join(root, "tests/openapi-client/walk.ts"), join(folder, "walk.ts"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(COMPILER));
    writeFileSync(join(folder, "paths.ts"), await typesOf(document, folder));
    await run([join(root, "node_modules/.bin/tsc"), "-p", "."], folder);
    const walked = await run([process.execPath, "walk.ts"], folder, { GATEWAY_URL: gateway.base, ADMIN_KEY, GATEWAY_KEY });
    expect(JSON.parse(walked)).toEqual(["configs", "workspaces", "keys", "guardrails", "chat"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
