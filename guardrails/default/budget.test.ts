/** What every check takes at most: where it says what it costs, of a process of its own; else of the thread that serves. */
import { describe, expect, test } from "bun:test";
import { slowness } from "#kit";
import type { Handles, Json, OperationId } from "#contract";
import { judgedAnswer, judgedRequest } from "../../tests/kit/judged.ts";
import { checks } from "./checks/index.ts";

const fetch: Handles["fetch"] = async () => Response.json({ verdict: true, active: true, keys: [] });
const host = { fetch, resolve: async () => ["203.0.113.1"], log: () => undefined, now: Date.now };
const all = checks.map((check) => (typeof check === "function" ? check(host) : check));

const many = <T>(count: number, make: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => make(index));
const picture = (index: number): Json => ({ type: "image_url", image_url: { url: `https://img.example.com/${index}` } });
const chat = (content: unknown): Json => ({ model: "m", messages: [{ role: "user", content }] });
const words = (count: number): readonly string[] => many(count, (index) => `word ${index}`);
const tool = (index: number): Json => ({ type: "function", function: { name: `f${index}` } });

/** Parameters and a body that are as bad as they get within the gateway's limits. */
const WORST: Readonly<Record<string, readonly (readonly [parameters: Json, body: Json, operation?: OperationId])[]>> = {
  "default.allowedRequestTypes": [[{ allowedTypes: ["embed"] }, chat("x".repeat(1_000_000))]],
  "default.modelWhitelist": [[{ models: words(10_000) }, chat("x")]],
  "default.requiredMetadataKeys": [[{ metadataKeys: words(1_000) }, chat("x")]],
  "default.requiredMetadataKeyPairs": [
    [{ metadataPairs: Object.fromEntries(many(100, (index) => [`k${index}`, words(100)])), matchType: "containsAll" }, chat("x")],
    [{ metadataPairs: { k1: many(20, (index) => `[a-z]{${index}}x`) }, matchType: "regex" }, chat("x")],
  ],
  "default.modelRules": [
    [
      { rules: { metadata: { k1: Object.fromEntries(many(100, (index) => [`v${index}`, words(1_000)])) }, defaults: words(1_000) } },
      chat("x"),
    ],
  ],
  "default.requestParametersCheck": [
    [{ tools: { allowedFunctionNames: words(1_000) } }, { ...chat("x"), tools: many(7_000, tool) }],
    [{ params: { allowedKeys: words(1_000) } }, Object.fromEntries(many(30_000, (index) => [`k${index}`, 1]))],
  ],
  "default.addPrefix": [
    [{ prefix: "p".repeat(100_000) }, { messages: many(14_000, () => ({ role: "assistant", content: "x" })) }],
    [{ prefix: "p", onlyIfEmpty: true }, chat(many(14_000, () => ({ type: "text", text: " " })))],
  ],
  "default.jwt": [[{ jwksUri: "https://a.example.com", headerKey: "x-user-token" }, chat("x")]],
  "default.inlineImageUrls": [
    [{}, chat(many(14_000, picture))],
    [{}, chat(many(14_000, () => picture(1)))],
  ],
  "default.validUrls": [
    [{}, chat("http://a ".repeat(110_000))],
    [{}, chat(`http://${".".repeat(1_990)}x `.repeat(500))],
    [{}, chat(`http://${")".repeat(1_990)} `.repeat(500))],
    [{}, chat("http://".repeat(140_000))],
  ],
  "default.endsWith": [[{ suffix: "x".repeat(1_000) }, chat("x".repeat(1_000_000))]],
  "default.notNull": [[{}, chat(" ".repeat(1_000_000))]],
  "default.webhook": [[{ webhookURL: "https://hooks.example.com" }, chat("é".repeat(1_000_000))]],
  "default.log": [[{ logURL: "https://logs.example.com" }, chat("é".repeat(1_000_000))]],
};

test("what is tried here does not say what it costs", () => {
  const free = all.filter(({ cost }) => cost === undefined).map(({ id }) => id);
  expect(Object.keys(WORST).filter((id) => !free.includes(id))).toEqual([]);
});

/** Milliseconds of the processor: a text of a megabyte has to be read and written, and a check is bound anew each time. */
const MOST_MS = 60;
const headers = new Headers({ "x-user-token": "a".repeat(16_000) });
const metadata = Object.fromEntries(many(30, (index) => [`k${index}`, "v1".repeat(60)]));

describe.each(Object.entries(WORST))("%s", (id, cases) => {
  const check = all.find((candidate) => candidate.id === id) ?? expect.unreachable();
  test.each(cases.map(([parameters, body, operation = "chatComplete"], index) => ({ index, parameters, body, operation })))(
    "holds nobody up, whatever it is given ($index)",
    async ({ parameters, body, operation }) => {
      const judging = { parameters, metadata, headers, operation };
      const [message] = Array.isArray(body["messages"]) ? (body["messages"] as readonly Json[]) : [];
      const answer = { choices: [{ index: 0, message: { role: "assistant", content: message?.["content"] } }] };
      let least = Infinity;
      for (let again = 0; again < 5 && least >= MOST_MS; again += 1) {
        const before = process.cpuUsage();
        await (check.on.includes("input") ? judgedRequest(check, body, judging) : judgedAnswer(check, answer, judging));
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1_000);
      }
      expect(least).toBeLessThan(MOST_MS * slowness());
    },
  );
});
