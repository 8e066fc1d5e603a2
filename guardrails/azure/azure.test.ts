import { expect, test } from "bun:test";
import { type CheckInput, isJson } from "#contract";
import { testPack } from "../../tests/kit/check.ts";
import { Vendor } from "../../tests/kit/vendor.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import manifest from "./manifest.json";
import shieldPrompt from "./checks/shieldPrompt.ts";
import pack from "./index.ts";

await testPack(pack, manifest);

const account = { resourceName: "ours", apiKey: "k" };
/** What the shield is asked about these texts, and what it says where it finds an attack in the word "attack". */
async function shielded(...segments: readonly { readonly role: string; readonly kind: string; readonly text: string }[]) {
  const vendor = new Vendor(manifest.needs);
  vendor.answers((_, { body }) => {
    const attackDetected = String(body).includes("attack");
    return Response.json({ userPromptAnalysis: { attackDetected }, documentsAnalysis: [] });
  });
  const call = { header: () => null };
  const input = { segments, params: { apiVersion: "v" }, call, signal: new AbortController().signal, credentials: () => account };
  const verdict = await shieldPrompt(vendor.host).run(input as unknown as CheckInput<unknown>); // what it reads of its input
  return { verdict, asked: vendor.requests.map(({ body }) => JSON.parse(body) as unknown) };
}

test("what people say is judged as a prompt, what tools say as a document", async () => {
  const { asked } = await shielded(
    { role: "user", kind: "text", text: "hello" },
    { role: "tool", kind: "text", text: "from a tool" },
    { role: "user", kind: "tool_result", text: "a result" },
  );
  expect(asked).toEqual([
    { userPrompt: "hello", documents: [] },
    { userPrompt: "", documents: ["from a tool"] },
    { userPrompt: "", documents: ["a result"] },
  ]);
});
test(verifies("G.partners.pieces", "an attack behind more text than the vendor takes is found"), async () => {
  const { verdict, asked } = await shielded({ role: "user", kind: "text", text: `${"word ".repeat(5_000)}attack` });
  expect(verdict).toMatchObject({ verdict: "deny", reason: "An attack in the prompt." });
  expect(asked.map((body) => isJson(body) && String(body["userPrompt"]).length)).toEqual([10_000, 10_000, 5_006]);
});
