/** An answer nested 100,000 deep: the client is answered, and the request has its one record. Streams and large ones are among the slow tests. */
import { describe, expect, test } from "bun:test";
import { forAll } from "./endpoints/api.ts";
import { chat } from "./process.ts";
import { DEEP, testWhole } from "./odd-answers.ts";

const api = forAll();
describe.each(Object.entries(DEEP))("%s", (_, make) => testWhole(api, make()));

/** JSON inside a string is not counted as levels of the body it stands in. */
test("a request whose tool call's arguments nest 100,000 deep goes on without them where the provider's wire holds them as JSON", async () => {
  const call = { id: "t", type: "function", function: { name: "f", arguments: "[".repeat(100_000) + "]".repeat(100_000) } };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "t", content: "ok" },
  ];
  for (const provider of ["anthropic", "google"]) {
    const before = api.upstream.received.length;
    await chat(api.gateway, { messages }, { ...api.replayed, "x-gateway-provider": provider });
    expect(api.upstream.received.length).toBe(before + 1);
    expect(api.upstream.received.at(-1)?.text()).toMatch(/"(input|args)":\{\}/);
  }
});
