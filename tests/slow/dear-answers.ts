/** What an upstream of the caller's choosing may answer to be dear, and what the client gets of it. */
interface Dear {
  readonly make: () => string | Uint8Array;
  readonly gets: RegExp;
  /** Through an output guardrail, where that makes a difference. */
  readonly guarded?: RegExp;
}

const MB = 1024 * 1024;
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null, index = 0): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index, delta, finish_reason: finish }],
});
const says = (content: string, index = 0): string => data(chunk({ content }, null, index));
const END = `${data(chunk({}, "stop"))}data: [DONE]\n\n`;
const ENDED = `${says("x")}${END}`;
const each = (count: number, make: (at: number) => string): string => Array.from({ length: count }, (_, at) => make(at)).join("");
const call = (index: number) => ({ tool_calls: [{ index, id: `t${index}`, type: "function", function: { name: "f", arguments: "{" } }] });
const withUsage = `data: {"x":"\\"usage\\"","usage":1,"choices":[{"index":0,"delta":{"content":"z"}}]}\n\n`;

const DONE = /"finish_reason":"stop"\}\]\}\n\ndata: \[DONE\]\n\n$/;
const GOOD = /"finish_reason":"stop"\}\]/;
const DEAR = /it holds more than \d+|parsing it would hold up everybody else, mostly for its \d+ or more/;

export const STREAMS = {
  "newlines before the first event": { make: () => "\n".repeat(30 * MB) + ENDED, gets: DONE },
  "comments before the first event": { make: () => ":\n\n".repeat(10 * MB) + ENDED, gets: DONE },
  "comments without a blank line before the first event": { make: () => ":\n".repeat(15 * MB) + ENDED, gets: DONE },
  "blank events before the first": { make: () => "data: {}\n\n".repeat(3 * MB) + ENDED, gets: DONE },
  "pings without data": { make: () => "event: ping\n\n".repeat(2 * MB) + ENDED, gets: DONE },
  "newlines behind the first event": { make: () => says("x") + "\n".repeat(30 * MB) + END, gets: DONE },
  "comments behind the first event": { make: () => says("x") + ":\n\n".repeat(10 * MB) + END, gets: DONE },
  "blank events behind the first": { make: () => says("x") + "data: {}\n\n".repeat(3 * MB) + END, gets: DONE },
  "one event of 30 MB": { make: () => says("a".repeat(30 * MB)) + END, gets: DONE },
  "one event of 30 MB, behind another": { make: () => says("x") + says("a".repeat(30 * MB)) + END, gets: DONE },
  "one event of 4 million Chinese characters": { make: () => says("漢".repeat(4_000_000)) + END, gets: DONE, guarded: DONE },
  "one event of 10 million Chinese characters": { make: () => says("漢".repeat(10 * MB)) + END, gets: DEAR, guarded: DEAR },
  "one event of 15 MB whose last character is Chinese": {
    make: () => `${says(`${"a".repeat(15 * MB)}漢`)}${END}`,
    gets: DEAR,
    guarded: DEAR,
  },
  "one event of 30 MB whose last character is Chinese": {
    make: () => `${says(`${"a".repeat(30 * MB)}漢`)}${END}`,
    gets: DEAR,
    guarded: DEAR,
  },
  "an event of 30 MB whose last character is Chinese, behind another": {
    make: () => `${says("x")}${says(`${"a".repeat(30 * MB)}漢`)}${END}`,
    gets: DONE,
    guarded: DEAR,
  },
  "one event of 30 MB of objects": { make: () => `data: {"choices":[],"x":[${"{},".repeat(10 * MB)}{}]}\n\n${ENDED}`, gets: DEAR },
  "one event of 30 MB of objects, behind another": {
    make: () => `${says("x")}data: {"choices":[],"x":[${"{},".repeat(10 * MB)}{}]}\n\n${END}`,
    gets: DONE,
    guarded: DEAR,
  },
  "one event of 30 MB of objects that speaks of usage": {
    make: () => `${says("x")}data: {"choices":[],"usage":{},"x":[${"{},".repeat(10 * MB)}{}]}\n\n${END}`,
    gets: DONE,
    guarded: DEAR,
  },
  "one event of 60 MB": { make: () => says("a".repeat(60 * MB)) + END, gets: /is not of a size between 16 bytes and 32 MB/ },
  "forty events of 12,000 names each": {
    make: () => says("x") + `data: {"choices":[],"x":{${each(12_000, (at) => `"name ${at}":1,`)}"k":1}}\n\n`.repeat(40) + END,
    gets: DONE,
    guarded: DONE,
  },
  "one event of a million members": {
    make: () => `data: {${each(1_000_000, (at) => `"k${at}":1,`)}"choices":[]}\n\n${ENDED}`,
    gets: DEAR,
  },
  "three million data lines in one event": {
    make: () => `${says("q")}${"data:\n".repeat(3_000_000)}\n${END}`,
    gets: DONE,
    guarded: /more than 10000 lines/,
  },
  "three million data lines in the first event": { make: () => `${"data:\n".repeat(3_000_000)}\n${ENDED}`, gets: /more than 10000 lines/ },
  "a line of 30 MB without an end": {
    make: () => says("x") + "a".repeat(30 * MB),
    gets: /ended its stream before the answer was complete/,
  },
  "the terminal marker again and again inside a content": { make: () => says("[DONE]".repeat(3 * MB)) + END, gets: DONE },
  "the terminal marker again and again inside a later content": { make: () => says("x") + says("[DONE]".repeat(3 * MB)) + END, gets: DONE },
  "the terminal marker in each event": { make: () => says("[DONE]").repeat(150_000) + END, gets: DONE },
  "the word error in each event": { make: () => says("error ").repeat(150_000) + END, gets: DONE },
  "usage in each event": { make: () => says("q") + withUsage.repeat(150_000) + END, gets: DONE },
  "usage alone in 400,000 events": {
    make: () => says("q") + data({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }).repeat(400_000) + END,
    gets: DONE,
    guarded: DONE,
  },
  "usage again and again inside a content": {
    make: () => `${says("q")}data: {"x":"${'\\"usage\\"'.repeat(3 * MB)}","usage":1}\n\n${END}`,
    gets: DONE,
    guarded: DEAR,
  },
  "a hundred thousand choices": {
    make: () => each(100_000, (at) => says("a", at)) + each(100_000, (at) => data(chunk({}, "stop", at))) + END,
    gets: DONE,
    guarded: /more than 4096 choices/,
  },
  "a hundred thousand choices, none finished": {
    make: () => each(100_000, (at) => says("a", at)),
    gets: /ended its stream before the answer was complete/,
    guarded: /more than 4096 choices/,
  },
  "sixty thousand tool calls": {
    make: () => each(60_000, (at) => data(chunk(call(at)))) + END,
    gets: DONE,
    guarded: /more than 512 tool calls/,
  },
  "a hundred thousand choices in one event": {
    make: () =>
      `data: {"id":"c1","model":"m","choices":[${each(100_000, (index) => `{"index":${index},"delta":{"content":"a"},"finish_reason":"stop"},`)}{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
    gets: DEAR,
  },
} as const satisfies Readonly<Record<string, Dear>>;

const CHOICE = '{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}';
const whole = (more: string, choices = CHOICE): string => `{"id":"c","choices":[${choices}]${more}}`;
export const WHOLE = {
  "thirty megabytes of objects": { make: () => whole(`,"x":[${"{},".repeat(10 * MB)}{}]`), gets: DEAR },
  "two million members": { make: () => whole(`,"x":{${each(2_000_000, (at) => `"k${at}":1,`)}"k":1}`), gets: DEAR },
  "two million members of one object": { make: () => whole(`,${each(2_000_000, (at) => `"k${at}":1,`)}"k":1`), gets: DEAR },
  "three hundred thousand choices": { make: () => whole("", `${`${CHOICE},`.repeat(300_000)}${CHOICE}`), gets: DEAR },
  "thirty megabytes of arrays": { make: () => whole(`,"x":[${"[],".repeat(10 * MB)}[]]`), gets: DEAR },
  "ten million short texts": { make: () => whole(`,"x":[${'"",'.repeat(10 * MB)}""]`), gets: DEAR },
  "nesting of ten million levels": {
    make: () => whole(`,"x":${"[".repeat(10 * MB)}${"]".repeat(10 * MB)}`),
    gets: /nested deeper than 512 levels/,
  },
  "a text of 30 MB": { make: () => whole("", CHOICE.replace('"x"', `"${"a b ".repeat(7.5 * MB)}"`)), gets: GOOD },
  "a text of 10 million Chinese characters": { make: () => whole("", CHOICE.replace('"x"', `"${"漢".repeat(10 * MB)}"`)), gets: GOOD },
  "a text of 30 MB of escapes": { make: () => whole("", CHOICE.replace('"x"', `"${"\\n".repeat(15 * MB)}"`)), gets: DEAR },
  "a text of 30 MB of escaped quotes": { make: () => whole("", CHOICE.replace('"x"', `"${'\\"'.repeat(15 * MB)}"`)), gets: DEAR },
  "a text of 60 MB": { make: () => whole("", CHOICE.replace('"x"', `"${"a b ".repeat(15 * MB)}"`)), gets: DEAR },
  "a text of 15 MB whose last character is Chinese": {
    make: () => whole("", CHOICE.replace('"x"', `"${"a b ".repeat(3.75 * MB)}漢"`)),
    gets: GOOD,
  },
  "a text of 30 MB whose last character is Chinese": {
    make: () => whole("", CHOICE.replace('"x"', `"${"a b ".repeat(7.5 * MB)}漢"`)),
    gets: DEAR,
  },
  "a picture of 28 MB and a Chinese word": {
    make: () => whole(`,"picture":"${"QUJD".repeat(7 * MB)}"`, CHOICE.replace('"x"', '"漢"')),
    gets: /QUJD"\}$/,
  },
  "thirty texts of 2 MB, of every width": {
    make: () => whole(`,"texts":[${each(30, (at) => `"${["a", "é", "漢", "😀"][at % 4]?.repeat(300_000)}",`)}1]`),
    gets: /é",1\]\}$/,
  },
  "sixty megabytes that are no UTF-8": { make: () => new Uint8Array(60 * MB).fill(0xff), gets: /something that is not its format/ },
  "a text of 30 MB that is no UTF-8": {
    make: () => Buffer.concat([Buffer.from('{"x":"'), new Uint8Array(30 * MB).fill(0xff), Buffer.from(`",${whole("").slice(1)}`)]),
    gets: DEAR,
  },
  "a text of 20 MB of lines": {
    make: () => whole("", CHOICE.replace('"x"', `"${`${"a b ".repeat(20)}\\n`.repeat(MB / 4)}"`)),
    gets: GOOD,
  },
  "a text of 24 MB, now and then not ASCII": { make: () => whole("", CHOICE.replace('"x"', `"${"漢abc ".repeat(3 * MB)}"`)), gets: GOOD },
  "800,000 escaped characters that are not ASCII": {
    make: () => whole("", CHOICE.replace('"x"', `"${"\\u6f22".repeat(800_000)}"`)),
    gets: GOOD,
  },
  "thirty megabytes of quotes": { make: () => '""'.repeat(15 * MB), gets: DEAR },
  "thirty megabytes of blanks": { make: () => " ".repeat(30 * MB) + whole(""), gets: DEAR },
  "three megabytes of blanks": { make: () => " ".repeat(3 * MB) + whole(""), gets: GOOD },
  "ten million numbers": { make: () => whole(`,"x":[${"1,".repeat(10 * MB)}1]`), gets: DEAR },
  "long numbers": {
    make: () => whole(`,"x":[${`0.${"1234567890".repeat(6)},`.repeat(480_000)}1]`),
    gets: DEAR,
  },
} as const satisfies Readonly<Record<string, Dear>>;

const blocks = (count: number): string =>
  JSON.stringify({
    ...{ id: "m1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
    content: Array.from({ length: count }, () => ({ type: "text", text: "a" })),
  });
/** Whole, in another provider's form: each part becomes an event of the client's. */
export const TRANSLATED = {
  "180,000 parts": { make: () => blocks(180_000), gets: DEAR },
  "a text of 20 MB": {
    make: () => blocks(1).replace('"a"', `"${"a b ".repeat(5 * MB)}"`),
    gets: /data: \[DONE\]\n\n$|"finish_reason":"stop"/,
  },
  "as many parts as may be": { make: () => blocks(19_000), gets: /data: \[DONE\]\n\n$|"finish_reason":"stop"/ },
} as const satisfies Readonly<Record<string, Dear>>;
