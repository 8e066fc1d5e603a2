/** What passes to a provider as it came may be long wherever the gateway looks into it: nobody else waits for that. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const MB = 1_000_000;
const refused = ({ status }: Got): void => expect(status).toBe(400);
const passed = ({ status }: Got): void => expect(status).toBe(200);
const BODIES: Readonly<Record<string, { readonly make: () => object; readonly gets: (got: Got) => void }>> = {
  "a model of a million slugs": { make: () => ({ model: "@m/".repeat(MB), input: "a" }), gets: refused },
  "a model of 12 MB": { make: () => ({ model: `@${"a".repeat(12 * MB)}`, input: "a" }), gets: refused },
  "an input of 14 MB": { make: () => ({ model: "m", input: "a".repeat(14 * MB) }), gets: passed },
  "an id of 14 MB": { make: () => ({ model: "m", id: "a".repeat(14 * MB) }), gets: passed },
  "400,000 words": { make: () => ({ model: "m", words: Array.from({ length: 400_000 }, () => "a") }), gets: passed },
};
const PATHS = ["/v1/proxy/foo", "/v1/unknown/thing"] as const;

describe.each(PATHS)("%s", (path) => {
  for (const [what, { make, gets }] of Object.entries(BODIES))
    test(what, async () => {
      const config = { provider: "openai", api_key: "key-of-this-test", custom_host: attacked.upstream };
      const body = JSON.stringify(make());
      await attacked.quiet(`${what}, ${path}`, () => attacked.send({ path, body, config }), gets);
    }, 60_000);
});
