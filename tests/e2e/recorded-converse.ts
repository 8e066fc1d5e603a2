/** What recorded answers of Bedrock's Converse say, computed from their lines and bodies alone. */
import { expect } from "bun:test";
import { at, type Json } from "./endpoints/api.ts";
import type { RecordedAnswer } from "./recorded.ts";

const FINISH: Readonly<Record<string, string>> = { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length" };
interface Read {
  readonly text: string;
  readonly tools: RecordedAnswer["tools"];
  readonly stopReason: unknown;
  readonly usage: unknown;
}
/** What the lines and bodies say, read from them alone. A recording without usage says nothing of it. */
const expected = ({ text, tools, stopReason, usage }: Read): Omit<RecordedAnswer, "usage"> & { readonly usage: unknown } => ({
  text,
  tools,
  finish: FINISH[String(stopReason)] ?? "?",
  usage: usage
    ? { input: at(usage, "inputTokens"), output: at(usage, "outputTokens"), total: at(usage, "totalTokens") }
    : { input: expect.any(Number), output: expect.any(Number), total: expect.any(Number) },
});
export function saidByConverseStream(lines: readonly Json[]): ReturnType<typeof expected> {
  const deltas = lines.flatMap((line) => (line["contentBlockDelta"] ? [line["contentBlockDelta"]] : []));
  const starts = lines.flatMap((line) => (line["contentBlockStart"] ? [line["contentBlockStart"]] : []));
  const inputOf = (index: unknown): string =>
    deltas.map((delta) => (at(delta, "contentBlockIndex") === index ? (at(delta, "delta", "toolUse", "input") ?? "") : "")).join("");
  return expected({
    text: deltas.map((delta) => at(delta, "delta", "text") ?? "").join(""),
    tools: starts.map((start) => ({
      name: String(at(start, "start", "toolUse", "name")),
      arguments: JSON.parse(inputOf(at(start, "contentBlockIndex"))) as unknown,
    })),
    stopReason: at(
      lines.find((line) => line["messageStop"]),
      "messageStop",
      "stopReason",
    ),
    usage: at(
      lines.find((line) => line["metadata"]),
      "metadata",
      "usage",
    ),
  });
}
export function saidByConverse(body: Json): ReturnType<typeof expected> {
  const content = at(body, "output", "message", "content") as readonly Json[];
  return expected({
    text: content.map((block) => block["text"] ?? "").join(""),
    tools: content.flatMap(({ toolUse }) => (toolUse ? [{ name: String(at(toolUse, "name")), arguments: at(toolUse, "input") }] : [])),
    stopReason: body["stopReason"],
    usage: body["usage"],
  });
}
