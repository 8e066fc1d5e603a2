/** A header or a query as long as the server takes is dear to read: whoever asks for something else does not wait for it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GATEWAY_KEY } from "../e2e/process.ts";
import { type Attacked, good, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const pairs = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join("&");
const TOKEN = "sk-aB3dEfGhIjK1mN0pQ";
const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] });
const HEADERS = {
  "a URL of 18,000 secrets, each of another name": () => `http://a.example/?${pairs(18_000, (at) => `token${at}=a`)}`,
  "a URL of 18,000 secrets of one name": () => `http://a.example/?${pairs(18_000, (at) => `api_key=${at}`)}`,
  "a URL of 9,000 tokens": () => `http://a.example/?${pairs(9_000, (at) => `${at}=${TOKEN}${at}`)}`,
  "a URL of 9,000 tokens and a key of the gateway": () =>
    `http://a.example/?k=${GATEWAY_KEY}&${pairs(9_000, (at) => `${at}=${TOKEN}${at}`)}`,
  "a URL whose path is 15,000 tokens": () => `http://a.example/${`${TOKEN}/`.repeat(15_000)}`,
  "a URL of 100,000 beginnings of credentials": () => `http:${"a:b@".repeat(90_000)}`,
  "JSON that nests 40,000 levels deep": () => `${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}`,
  "JSON of 8,000 URLs": () => JSON.stringify({ list: Array.from({ length: 8_000 }, (_, at) => `http://a/?${at}=${TOKEN}`) }),
  "JSON of one URL of 18,000 secrets": () => JSON.stringify({ url: `http://a.example/?${pairs(18_000, (at) => `token${at}=a`)}` }),
  "a text of tokens": () => `${TOKEN} `.repeat(16_000).trim(),
  "percent signs": () => `http://a.example/?a=${"%25".repeat(100_000)}`,
} as const;

describe("a header", () => {
  for (const [what, make] of Object.entries(HEADERS))
    test(`of ${what}`, async () => {
      const config = { provider: "openai", api_key: "k", custom_host: attacked.upstream };
      const sent = { path: "/v1/chat/completions", body: BODY, config, headers: { "x-note": make() } };
      await attacked.quiet(what, () => attacked.send(sent), good);
    }, 60_000);
});

describe("a query", () => {
  const QUERIES = {
    "9,000 tokens": () => pairs(9_000, (at) => `${at}=${TOKEN}${at}`),
    "18,000 secrets": () => pairs(18_000, (at) => `token${at}=a`),
  } as const;
  for (const [what, make] of Object.entries(QUERIES))
    for (const path of ["/v1/chat/completions", "/v1/embeddings"])
      test(`of ${what}, of ${path}`, async () => {
        const body = path.includes("chat") ? BODY : JSON.stringify({ model: "m", input: "x" });
        const sent = { path: `${path}?${make()}`, body, config: { provider: "sandbox", override_params: { model: "echo" } } };
        await attacked.quiet(
          `${what}, of ${path}`,
          () => attacked.send(sent),
          ({ status }) => expect(status).toBeLessThan(500),
        );
      }, 60_000);
});
