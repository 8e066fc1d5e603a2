import { expect, test } from "bun:test";
import { type CheckInput, isJson } from "#contract";
import { testPack } from "../../tests/kit/check.ts";
import { Vendor } from "../../tests/kit/vendor.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import manifest from "./manifest.json";
import online from "./checks/online.ts";
import pack from "./index.ts";

await testPack(pack, manifest);

/** What the vendor is asked, and what comes of it, for a question. */
async function searched(text: string) {
  const vendor = new Vendor(manifest.needs);
  vendor.answers(() => Response.json({ results: [] }));
  const call = { requestType: "chatComplete", request: { messages: [] }, header: () => null };
  const input = { text, params: {}, call, signal: new AbortController().signal, credentials: () => ({ apiKey: "k" }) };
  const verdict = await online(vendor.host).run(input as unknown as CheckInput<unknown>); // what it reads of its input
  return { verdict, asked: vendor.requests.map(({ body }) => JSON.parse(body) as unknown) };
}

test(verifies("G.partners.search", "a question without a word is not searched for"), async () => {
  expect(await searched(" \n")).toEqual({ verdict: { verdict: "allow" }, asked: [] });
});
test(verifies("G.partners.search", "of a long question its beginning is searched for"), async () => {
  const { asked } = await searched(`  ${"q".repeat(100_000)}`);
  expect(asked.map((body) => isJson(body) && body["query"])).toEqual(["q".repeat(2_000)]);
});
