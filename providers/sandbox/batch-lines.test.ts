import { expect, test } from "bun:test";
import type { AdapterInput } from "#contract";
import { runLines } from "./batch-lines.ts";

const ASK: AdapterInput = {
  target: { fields: {}, apiKey: "", customHost: null, model: "" },
  ...{ operation: "createBatch", path: "/batches", search: "", stream: false, strict: true },
};
const answer = async (): Promise<Response> => Response.json({ ok: true });
const operations = { chatComplete: { answer }, complete: { answer }, embed: { answer }, moderate: { answer } };
const run = (text: string) => runLines(text, operations, ASK, new AbortController().signal);
const line = (more: object): string => JSON.stringify({ custom_id: "a", url: "/v1/chat/completions", body: { model: "m" }, ...more });

test("each line is asked, and answered under its own id", async () => {
  expect(await run(`${line({})}\n${line({ custom_id: "b" })}\n`)).toMatchObject({ total: 2, failed: 0 });
});
test("lines that would hold up everybody else are a failed batch, before they are parsed", async () => {
  const dear = line({ body: { model: "m", input: Array.from({ length: 1_300_000 }, () => ({})) } });
  const startedAt = process.cpuUsage().user;
  expect(await run(dear)).toBeUndefined();
  expect(process.cpuUsage().user - startedAt).toBeLessThan(100_000); // microseconds
});
