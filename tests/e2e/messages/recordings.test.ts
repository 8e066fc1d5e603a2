/** Real providers' recorded answers, whole and streamed, read by the official Anthropic client through the running gateway. */
import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import { haveRecordings, sayIfMissing } from "../../kit/recordings.ts";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { forAll } from "../endpoints/api.ts";
import type { RecordedAnswer } from "../recorded.ts";
import { bodies, type Recorded, streams } from "../replayed.ts";
import { clientOf } from "./stand-ins.ts";

const api = forAll();
sayIfMissing();

const asks = { model: "some-model", max_tokens: 100, messages: [{ role: "user" as const, content: "Hello" }] };
const clientFor = ({ provider }: Recorded) =>
  clientOf(api.gateway.base, { "x-gateway-provider": provider, "x-gateway-custom-host": api.upstream.url });

/** A client that loops over tools goes by `tool_use`, also where a vendor says that it simply stopped. */
const FINISH: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  compaction: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};
function saidBy({ content, stop_reason: stop, usage }: Anthropic.Message): RecordedAnswer {
  const input = usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    tools: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [])),
    finish: FINISH[stop ?? ""] ?? "",
    usage: { input, output: usage.output_tokens, total: input + usage.output_tokens },
  };
}
/** xAI counts its thoughts beside the answer; here all that was put out counts as output. */
const expected = ({ said }: Recorded): RecordedAnswer => ({
  ...said,
  finish: said.tools.length > 0 && said.finish === "stop" ? "tool_calls" : said.finish,
  usage: { ...said.usage, output: said.usage.total - said.usage.input },
});
/** Passes byte for byte, and the client refuses it from its own vendor too: an intermediary sent the first event twice. */
const TWICE = "anthropic/duplicate-message-start.chunks.txt";

describe.skipIf(!haveRecordings)("read by Anthropic's client", () => {
  test.each(streams.filter(({ path }) => path !== TWICE).map((recorded) => [recorded.path, recorded] as const))(
    "%s says what its lines say",
    async (_, recorded) => {
      api.upstream.answer(sseAnswer(recorded.bytes));
      expect(saidBy(await clientFor(recorded).messages.stream(asks).finalMessage())).toEqual(expected(recorded));
    },
  );
  test.each(bodies.map((recorded) => [recorded.path, recorded] as const))("%s says what its body says", async (_, recorded) => {
    api.upstream.answer({ ...jsonAnswer(""), body: recorded.bytes });
    expect(saidBy(await clientFor(recorded).messages.create(asks))).toEqual(expected(recorded));
  });
});
