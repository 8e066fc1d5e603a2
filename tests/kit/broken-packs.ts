/** Packs that are wrong, each in one way: `check.test.ts` runs this file, and sees that the kit finds every one. */
import { Type } from "@sinclair/typebox";
import { type Check, type CheckInput, defineCheck, definePlugin, type Handles, remoteCheck, type Verdict } from "#contract";
import { type Example, testPack } from "./check.ts";

const WORD = "bluebird";
const EXAMPLES: readonly Example[] = [
  { text: "Where is the nest?", verdict: "allow" },
  { text: `Where is ${WORD}?`, verdict: "deny" },
];
const REDACTED: readonly Example[] = [{ text: `Where is ${WORD}?`, verdict: "transform", becomes: "Where is ***?" }];
const VENDOR: readonly Example[] = [
  { text: "Hello", verdict: "allow", vendor: { body: { bad: false } } },
  { text: "Ignore", verdict: "deny", vendor: { body: { bad: true } } },
];

type Input = CheckInput<unknown>;
const judged = (text: string): Verdict => (text.includes(WORD) ? { verdict: "deny", reason: "It holds the word." } : { verdict: "allow" });
/** Packs by what is wrong with their check. */
const LOCAL: Readonly<Record<string, Partial<Check> & Pick<Check, "run">>> = {
  refusesStreams: { stream: "none", run: ({ text }) => judged(text) },
  ignoresStreams: { run: ({ text, call }) => (call.streamed ? { verdict: "allow" } : judged(text)) },
  ignoresSystem: { run: ({ segments }) => judged(segments.filter(({ role }) => role === "user").map(({ text }) => text).join("\n")) }, // biome-ignore format: one line reads better
  readsChatOnly: {
    run: ({ call }) => judged(String((call.request as unknown as { messages: [{ content: unknown }] }).messages[0].content)),
  },
  throwsOnEmpty: { run: ({ text }) => judged(nonEmpty(text)) },
  isQuadratic: { run: ({ text }) => judged(pairsIn(text) < 0 ? "" : text) },
  writesSegments: {
    run({ text, segments }: Input) {
      for (const segment of segments) (segment as { text: string }).text = "";
      return judged(text);
    },
  },
  writesParameters: {
    run({ text, params }: Input) {
      Object.assign(params as object, { seen: text });
      return judged(text);
    },
  },
  changesRequest: {
    run({ text, call }: Input) {
      if (call.request) Object.assign(call.request, { model: "another" });
      return judged(text);
    },
  },
  usesGlobalFetch: { run: async ({ text }) => fetch("https://acme.example").then(() => judged(text), () => judged(text)) }, // biome-ignore format: one line reads better
};
const nonEmpty = (text: string): string => {
  if (text === "") throw new TypeError("there is no first letter");
  return text;
};
/** Compares every sixteenth letter with every other one: short texts take no time. */
function pairsIn(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i += 12) {
    for (let j = i; j < text.length; j += 12) if (text.charCodeAt(i) === text.charCodeAt(j)) pairs += 1;
  }
  return pairs;
}

async function testBroken(name: string, check: (host: Pick<Handles, "fetch">) => Check, examples: readonly Example[]): Promise<void> {
  const needs = ["net:api.acme.example"] as const;
  const plugin = definePlugin({
    kind: "guardrail",
    config: Type.Object({}, { additionalProperties: false }),
    needs,
    setup: (host) => ({ provides: { checks: [check(host)] } }),
  });
  const id = `broken.${name}`;
  const manifest = {
    ...{ id: "broken", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: name, entry: "index.ts" },
    ...{ needs: [...needs], provides: [id], samples: [{ check: id, ...examples[0] }] },
  };
  await testPack(plugin, manifest, { [id]: examples.slice(1) });
}
const made = (name: string, check: Partial<Check> & Pick<Check, "run">): Check =>
  defineCheck({ id: `broken.${name}`, title: name, on: ["input", "output"], params: Type.Object({}), ...check } as Check);

await testBroken("isSound", () => made("isSound", { run: ({ text }) => judged(text) }), EXAMPLES);
for (const [name, check] of Object.entries(LOCAL)) await testBroken(name, () => made(name, check), EXAMPLES);

await testBroken(
  "losesUnicode",
  () =>
    made("losesUnicode", {
      transforms: true,
      run({ segments, text }) {
        const [segment] = segments;
        if (!segment || !text.includes(WORD)) return { verdict: "allow" };
        return {
          verdict: "transform",
          patches: [{ path: segment.path, text: text.replace(WORD, "***").replace(/[^\u0000-\u007f]/g, "") }],
        };
      },
    }),
  REDACTED,
);

/** Asks as `ask` says; `failing` is its answer where it could not. */
const remote =
  (name: string, ask: (text: string) => string, failing: (why: unknown) => Verdict) =>
  (host: Pick<Handles, "fetch">): Check =>
    made(name, {
      async run({ text, signal }) {
        try {
          const body = JSON.stringify({ text: ask(text) });
          const response = await host.fetch("https://api.acme.example/v1", { method: "POST", body, signal });
          const { bad } = (await response.json()) as { readonly bad: boolean };
          return bad ? { verdict: "deny", reason: "It is bad." } : { verdict: "allow" };
        } catch (thrown) {
          return failing(thrown);
        }
      },
    });
const unchanged = (text: string): string => text;
const inAscii = (text: string): string => text.normalize("NFKD").replace(/[^\u0000-\u007f]/g, "");
const pass = (): Verdict => ({ verdict: "allow" });
const error = (why: unknown): Verdict => ({ verdict: "error", class: "unavailable", message: String(why) });
await testBroken("passesOnFailure", remote("passesOnFailure", unchanged, pass), VENDOR);
await testBroken("asksInAscii", remote("asksInAscii", inAscii, error), VENDOR);
await testBroken(
  "asksOfUsersOnly",
  (host) => ({
    ...made("asksOfUsersOnly", { run: () => ({ verdict: "allow" }) }),
    run: (input) => {
      const text = input.segments.filter(({ role }) => role !== "system").map((segment) => segment.text).join("\n"); // biome-ignore format: one line reads better
      return remote("asksOfUsersOnly", () => text, error)(host).run(input);
    },
  }),
  VENDOR,
);
await testBroken("asksUnseen", remote("asksUnseen", unchanged, pass), [{ text: "Hello", verdict: "allow" }]);

const sound = (host: Pick<Handles, "fetch">): Check =>
  remoteCheck(host, {
    id: "broken.isRemote",
    title: "isRemote",
    on: ["input", "output"],
    params: Type.Object({}),
    reply: Type.Object({ bad: Type.Boolean() }),
    url: () => "https://api.acme.example/v1",
    headers: () => ({}),
    ask: ({ text }) => ({ text }),
    judge: ({ bad }) => (bad ? { verdict: "deny", reason: "It is bad." } : { verdict: "allow" }),
  });
await testBroken("isRemote", sound, VENDOR);
