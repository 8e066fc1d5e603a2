/** What a provider answers to requests in the dialects that came after chat's, under guardrails: nobody waits while it is read and made into another. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, good, startAttacked } from "./attacked.ts";
import { DEAR } from "./dear-dialect-shapes.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const check = { "default.contains": { words: ["zzz"], operator: "none" } };
const GUARD = { output_guardrails: [{ ...check, deny: true }] };
const PROVIDERS = { chat: "openai", anthropic: "anthropic", responses: "openai", gemini: "google" } as const;
type Wire = keyof typeof PROVIDERS;

/** What would hold up others is refused: texts by the hundred thousand, and what the end of a response would say again and again. */
const TOO_LONG = /15 MB|12 MB of|Chinese|15,000 thoughts/;
const TOO_MANY = new RegExp(`${TOO_LONG.source}|9,000 signed`);
const REFUSED: { readonly [client: string]: { readonly [W in Wire]?: RegExp } | undefined } = {
  messages: { anthropic: /short strings/ },
  responses: { responses: /short strings/, chat: TOO_LONG, anthropic: TOO_MANY, gemini: TOO_MANY },
};
const refused = ({ status, end }: Got): void => {
  expect(status).toBe(502);
  expect(end).toMatch(/it holds more than 20000 texts|it says more than 2500000 characters|it holds more than 4096 items/);
};

interface DialectRequest {
  readonly path: string;
  readonly body: object;
}
const HELLO = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "x" }] };
const CLIENTS: Readonly<
  Record<string, { readonly whole: DialectRequest; readonly streamed: DialectRequest; readonly wires: readonly Wire[] }>
> = {
  messages: {
    whole: { path: "/v1/messages", body: HELLO },
    streamed: { path: "/v1/messages", body: { ...HELLO, stream: true } },
    wires: ["anthropic", "chat"],
  },
  responses: {
    whole: { path: "/v1/responses", body: { model: "m", input: "x" } },
    streamed: { path: "/v1/responses", body: { model: "m", input: "x", stream: true } },
    wires: ["responses", "chat", "anthropic", "gemini"],
  },
  gemini: {
    whole: { path: "/v1beta/models/m:generateContent", body: { contents: [{ parts: [{ text: "x" }] }] } },
    streamed: { path: "/v1beta/models/m:streamGenerateContent?alt=sse", body: { contents: [{ parts: [{ text: "x" }] }] } },
    wires: ["gemini", "chat", "anthropic"],
  },
};

for (const [client, { wires, ...asked }] of Object.entries(CLIENTS))
  for (const wire of wires)
    describe(`${wire} for ${client}`, () => {
      for (const [what, answer] of Object.entries(DEAR[wire]))
        for (const form of ["whole", "streamed"] as const) {
          const make = answer[form];
          if (!make) continue;
          const name = `${what}, ${form}`;
          test(name, async () => {
            const made = make();
            const text = typeof made === "string" ? made : JSON.stringify(made);
            attacked.answers(text, typeof made === "string" ? "text/event-stream" : "application/json");
            const provider = wire === "chat" && client === "responses" ? "deepseek" : PROVIDERS[wire];
            const custom_host = provider === "google" ? attacked.upstream.replace("/v1", "") : attacked.upstream;
            const { path, body } = asked[form];
            const sent = { path, body: JSON.stringify(body), config: { provider, api_key: "k", custom_host, ...GUARD } };
            const gets = (got: Got): void => (REFUSED[client]?.[wire]?.test(what) ? refused(got) : good(got));
            await attacked.quiet(`${wire} for ${client}: ${name}`, () => attacked.send(sent), gets);
          }, 60_000);
        }
    });
