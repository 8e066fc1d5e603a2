import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { defineCheck, definePlugin } from "#contract";
import { verifies } from "../requirements/verifies.ts";
import { testPack } from "./check.ts";
import { exampleCase } from "./example-case.ts";

test("a pack whose configuration has no default for a member is told so by its kit, and what to do", async () => {
  const plugin = definePlugin({
    kind: "guardrail",
    config: Type.Object({ url: Type.String({ description: "Where it asks." }) }),
    needs: [],
    setup: () => ({ provides: { checks: [] } }),
  });
  const manifest = { id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme", entry: "index.ts" };
  await expect(testPack(plugin, manifest)).rejects.toThrow(
    "The configuration of acme is not valid: url: it is missing. Give one to testPack.",
  );
});

test(verifies("V.kit.stuck", "a check that loops ends the tests, and they say which it is and what it was given"), async () => {
  const command = [process.execPath, "test", "./looping-pack.ts"];
  const child = Bun.spawn(command, { cwd: import.meta.dir, stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  expect(said).toContain('looping.loops was given "for ever" (8 characters) and does not come back');
  expect(await child.exited).not.toBe(0);
}, 120_000);

describe("a case that is written wrong is named, and what is wrong with it", () => {
  const folder = mkdtempSync(join(tmpdir(), "kit-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const line = "--------\n";
  test.each([
    ["no lines", "# A title\n{}", "it is no case: a title and an example, the request, the answer"],
    ["a comma", `# A title\n{"text": "a",}\n${line}{}\n${line}{}\n`, "its example is no JSON"],
    ["an open request", `# A title\n{"text": "a", "verdict": "allow"}\n${line}{\n${line}{}\n`, "its request is no JSON"],
    ["an open answer", `# A title\n{"text": "a", "verdict": "allow"}\n${line}{}\n${line}[\n`, "its answer is no JSON"],
    ["no text", `# A title\n{"verdict": "allow"}\n${line}{}\n${line}{}\n`, "its example has no text"],
    [
      "a verdict that is none",
      `# A title\n{"text": "a", "verdict": "no"}\n${line}{}\n${line}{}\n`,
      "its verdict is allow, deny, transform or error",
    ],
  ])("with %s", (name, text, sentence) => {
    const path = join(folder, `${name}.case`);
    writeFileSync(path, text);
    expect(() => exampleCase(path)).toThrow(`${path}: ${sentence}`);
  });
  test("a sample of a manifest too", async () => {
    const manifest = {
      ...{ id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme", entry: "index.ts", provides: ["acme.scan"] },
      samples: [
        { check: "acme.scan", text: "a", verdict: "allow" },
        { check: "acme.scan", verdict: "allow" },
      ],
    };
    const check = defineCheck({
      id: "acme.scan",
      title: "Scan",
      on: ["input"],
      params: Type.Object({}),
      run: () => ({ verdict: "allow" }),
    });
    const plugin = definePlugin({
      kind: "guardrail",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { checks: [check] } }),
    });
    await expect(testPack(plugin, manifest)).rejects.toThrow("acme.scan: sample 2 of the manifest: its example has no text");
  });
});

/** What is wrong with a pack -> a case of the kit that says so; of the sound one none does. */
const FOUND: Readonly<Record<string, string>> = {
  refusesStreams: "judges what is streamed as it judges what is whole",
  ignoresStreams: "judges what is streamed as it judges what is whole",
  ignoresSystem: "judges a text in the same way whoever says it, where all messages are looked at",
  readsChatOnly: "judges a text in the same way on every surface it claims",
  throwsOnEmpty: "survives an empty text",
  isQuadratic: "judges a text of 1 MB in time",
  writesSegments: "example 1",
  writesParameters: "example 1",
  changesRequest: "example 1",
  usesGlobalFetch: "example 1",
  losesUnicode: "leaves what is not ASCII as it leaves the rest",
  passesOnFailure: "is an error when the service answers 500",
  asksInAscii: "asks its service with a text as it is, whatever letters it consists of",
  asksOfUsersOnly: "judges a text in the same way whoever says it, where all messages are looked at",
  asksUnseen: "has examples that say what its service answers",
};

/** Cases of a check that asks a service, which its author has not written. */
const MADE = [
  "survives an empty text",
  "survives 200 kB of emoji",
  "judges a text in the same way on every surface it claims",
  "judges a text in the same way whoever says it, where all messages are looked at",
  "judges what is streamed as it judges what is whole",
  "judges a body that holds no text, and does not break",
  "asks its service with a text as it is, whatever letters it consists of",
  "judges a text of 1 MB in time",
  "stops when it is aborted",
  ...["500", "401", "429", "what is not JSON", "JSON of another shape", "an empty object", "more than 1 MB"].map(
    (answer) => `is an error when the service answers ${answer}`,
  ),
  "is an error when the service cannot be reached",
  "is an error when the service does not answer in time",
];
/** What the kit said of the packs of `broken-packs.ts`: cases by check. */
let said: Readonly<Record<"pass" | "fail", ReadonlyMap<string, readonly string[]>>>;
beforeAll(async () => {
  const command = [process.execPath, "test", "--timeout", "60000", "./broken-packs.ts"];
  const child = Bun.spawn(command, { cwd: import.meta.dir, stdout: "ignore", stderr: "pipe" });
  const lines = await new Response(child.stderr).text();
  const casesOf = (how: string): ReadonlyMap<string, readonly string[]> => {
    const found = [...lines.matchAll(new RegExp(`^\\(${how}\\) broken\\.(\\w+)(?: >)? (.*?)(?: \\[[\\d.]+ms\\])?$`, "gm"))];
    const cases = Map.groupBy(found, ([, name]) => name ?? "");
    return new Map([...cases].map(([name, of]) => [name, of.map(([, , sentence = ""]) => sentence)]));
  };
  said = { pass: casesOf("pass"), fail: casesOf("fail") };
}, 120_000);

test(verifies("V.kit.places", "the kit makes the cases of a check that its author has not written"), () => {
  expect(said.pass.get("isRemote")).toEqual(expect.arrayContaining(MADE));
});
test(verifies("V.kit.finds", "the kit finds what is wrong with a pack, and nothing in a sound one"), () => {
  expect([...said.fail.keys()].sort()).toEqual(Object.keys(FOUND).sort());
  for (const [name, sentence] of Object.entries(FOUND))
    expect([name, said.fail.get(name)]).toEqual([name, expect.arrayContaining([expect.stringContaining(sentence)])]);
});
