import { expect, test } from "bun:test";
import { tokenUsage, usageAtEnd } from "./token-usage.ts";

test("the parts of reported tokens do not overlap", () => {
  const usage = {
    ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 4 } },
    ...{ output_tokens: 7, output_tokens_details: { reasoning_tokens: 5 } },
  };
  expect(tokenUsage({ usage })).toEqual({ input: 6, cacheRead: 4, output: 2, reasoning: 5 });
  expect(tokenUsage({ usage: { input_tokens: 3, input_token_details: { audio_tokens: 2 } } })).toEqual({
    input: 1,
    inputAudio: 2,
    output: 0,
  });
  expect([tokenUsage({ created: 1, data: [] }), tokenUsage({ usage: {} }), tokenUsage({ usage: null })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
test("of the events at the end of a stream the last that reports any counts", () => {
  const event = (usage: string): string => `data: {"type":"x","usage": ${usage}}\n\n`;
  const USAGE = '{"input_tokens":1,"output_tokens":2,"input_tokens_details":{"cached_tokens":0}}';
  for (const tail of [
    event(USAGE),
    event(USAGE) + event("null"),
    event('{"input_tokens":9}') + event(USAGE),
    event(USAGE) + event('{"input_tok'),
  ])
    expect(usageAtEnd(tail)).toEqual({ input: 1, output: 2 });
  expect(usageAtEnd(event("null"))).toBeUndefined();
});
