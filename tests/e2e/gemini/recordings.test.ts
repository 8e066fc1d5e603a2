/** Real providers' recorded answers, whole and streamed, read by the official Gemini client through the running gateway. */
import { describe, expect, test } from "bun:test";
import type { GenerateContentResponse } from "@google/genai";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { gemini } from "../../../plugins/api/gemini/dialect.ts";
import { haveRecordings, sayIfMissing } from "../../kit/recordings.ts";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { eventsOf } from "../../kit/stream.ts";
import { forAll } from "../endpoints/api.ts";
import { GATEWAY_KEY } from "../process.ts";
import type { RecordedAnswer } from "../recorded.ts";
import { bodies, type Recorded, streams } from "../replayed.ts";
import { clientOf } from "./stand-ins.ts";

const api = forAll();
sayIfMissing();

const asks = { model: "some-model", contents: "Hello" };
const clientFor = ({ provider }: Recorded) =>
  clientOf(api.gateway.base, { "x-gateway-provider": provider, "x-gateway-custom-host": api.upstream.url });
/** Google may send a call's arguments in fragments, which its clients get as they are. */
const isInFragments = ({ provider, bytes }: Recorded): boolean =>
  provider === "google" && new TextDecoder().decode(bytes).includes("willContinue");

const FINISH: Readonly<Record<string, string>> = { STOP: "stop", MAX_TOKENS: "length" };
function saidBy(chunks: readonly GenerateContentResponse[]): RecordedAnswer {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const tools = parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name ?? "", arguments: call.args }] : []));
  const reason = chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason ?? "";
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata?.totalTokenCount !== undefined)?.usageMetadata;
  const output = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0);
  const finish = FINISH[reason] ?? "content_filter";
  return {
    text: parts.map(({ text = "", thought }) => (thought ? "" : text)).join(""),
    tools,
    finish: finish === "stop" && tools.length > 0 ? "tool_calls" : finish,
    usage: { input: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0), output, total: usage?.totalTokenCount ?? 0 },
  };
}
/** Some count their thoughts beside the answer; here all that was put out counts as output. */
const expected = ({ said }: Recorded): RecordedAnswer => ({
  ...said,
  finish: said.tools.length > 0 && said.finish === "stop" ? "tool_calls" : said.finish,
  usage: { ...said.usage, output: said.usage.total - said.usage.input },
});

describe.skipIf(!haveRecordings)("read by Gemini's client", () => {
  test.each(streams.filter((recorded) => !isInFragments(recorded)).map((recorded) => [recorded.path, recorded] as const))(
    "%s says what its lines say",
    async (_, recorded) => {
      api.upstream.answer(sseAnswer(recorded.bytes));
      const chunks = [];
      for await (const chunk of await clientFor(recorded).models.generateContentStream(asks)) chunks.push(chunk);
      expect(saidBy(chunks)).toEqual(expected(recorded));
    },
  );
  test.each(streams.filter(isInFragments).map((recorded) => [recorded.path, recorded] as const))(
    "%s passes byte for byte, and its calls are whole for who reads it on the way",
    async (_, recorded) => {
      api.upstream.answer(sseAnswer(recorded.bytes));
      const answer = await fetch(`${api.gateway.base}/v1beta/models/m:streamGenerateContent?alt=sse`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-gateway-api-key": GATEWAY_KEY,
          "x-gateway-provider": "google",
          "x-gateway-custom-host": api.upstream.url,
        },
        body: JSON.stringify({ contents: [{ parts: [{ text: "Hello" }] }] }),
      });
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(recorded.bytes));
      const { choices } = collect(eventsOf(gemini.decode, [recorded.bytes]));
      const tools = choices[0]?.tools.map(({ name, arguments: args }) => ({ name, arguments: JSON.parse(args) as unknown }));
      expect(tools).toEqual([...recorded.said.tools]);
    },
  );
  test.each(bodies.map((recorded) => [recorded.path, recorded] as const))("%s says what its body says", async (_, recorded) => {
    api.upstream.answer({ ...jsonAnswer(""), body: recorded.bytes });
    expect(saidBy([await clientFor(recorded).models.generateContent(asks)])).toEqual(expected(recorded));
  });
});
