/** Bodies of requests that are dear to read, choose among, translate or write, in the dialects that are not chat's. */

/** What the client gets: 200, or 400 where reading it would keep others waiting, or where nobody but the dialect's own vendor can be asked. */
export interface DearBody {
  readonly make: () => object;
  readonly status: 200 | 400;
  readonly translated?: 400;
}
type DearBodies = Readonly<Record<string, DearBody>>;

const times = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));
const repeated = (count: number): string[] => Array<string>(count).fill("a");
const good = (make: () => object): DearBody => ({ make, status: 200 });
const native = (make: () => object): DearBody => ({ make, status: 200, translated: 400 });
const refused = (make: () => object): DearBody => ({ make, status: 400 });

/** Short strings that are all one: the parser takes little for them, whoever reads them takes the same as for others. */
const STRINGS = 450_000;
/** A body may have 15,000 objects and lists. */
const OBJECTS = 14_000;
const MB = 1_000_000;
const LONG = "some words ".repeat(1.4 * MB);
const CHINESE = "漢字 ".repeat(1.7 * MB);
const SIGNATURE = "QUJD".repeat(MB / 4);
const enumOf = (count: number): object => ({ type: "object", properties: { p: { type: "string", enum: repeated(count) } } });
const nested = (levels: number): object => (levels === 0 ? {} : { type: "object", properties: { p: nested(levels - 1) } });

const user = (content: unknown): object => ({ role: "user", content });
const use = (at: number): object => ({ type: "tool_use", id: `t${at}`, name: "f", input: {} });
const result = (at: number, content: unknown = "r"): object => ({ type: "tool_result", tool_use_id: `t${at}`, content });
const message = (...messages: readonly object[]): object => ({ model: "m", max_tokens: 5, messages });
const anthropicTool = (at: number, input_schema: object = {}): object => ({ name: `f${at}`, input_schema });

export const MESSAGES: DearBodies = {
  "short strings in a tool's result": refused(() =>
    message(user("x"), { role: "assistant", content: [use(0)] }, user([result(0, repeated(STRINGS))])),
  ),
  "short strings in a tool's schema": good(() => ({ ...message(user("x")), tools: [anthropicTool(0, enumOf(STRINGS))] })),
  "7,000 tools": good(() => ({ ...message(user("x")), tools: times(7_000, (at) => anthropicTool(at)) })),
  "4,500 calls and results": good(() =>
    message(user("x"), { role: "assistant", content: times(4_500, use) }, user(times(4_500, (at) => result(at)))),
  ),
  "1,400 turns of a call": good(() =>
    message(user("x"), ...times(1_400, (at) => [{ role: "assistant", content: [use(at)] }, user([result(at)])]).flat()),
  ),
  "14,000 messages": good(() => message(...times(OBJECTS, (at) => (at % 2 ? { role: "assistant", content: "a" } : user("a"))))),
  "14,000 texts": good(() => message(user(times(OBJECTS, () => ({ type: "text", text: "a" }))))),
  "14,000 texts of the system": good(() => ({ ...message(user("x")), system: times(OBJECTS, () => ({ type: "text", text: "a" })) })),
  "14,000 thoughts and texts": good(() =>
    message(
      user("x"),
      {
        role: "assistant",
        content: times(OBJECTS, (at) => (at % 2 ? { type: "thinking", thinking: "a", signature: "b" } : { type: "text", text: "a" })),
      },
      user("x"),
    ),
  ),
  "15 MB of signatures": good(() =>
    message(
      user("x"),
      { role: "assistant", content: times(15, () => ({ type: "thinking", thinking: "a", signature: SIGNATURE })) },
      user("x"),
    ),
  ),
  "a schema of 100 levels": good(() => ({ ...message(user("x")), tools: [anthropicTool(0, nested(50))] })),
  "15 MB of Chinese": good(() => message(user([{ type: "text", text: CHINESE }]))),
  "15 MB in a tool's result": good(() => message(user("x"), { role: "assistant", content: [use(0)] }, user([result(0, LONG)]))),
  "15 MB in a call": good(() => message(user("x"), { role: "assistant", content: [{ ...use(0), input: { a: LONG } }] }, user([result(0)]))),
  "a picture of 15 MB": good(() =>
    message(user([{ type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD".repeat(3.7 * MB) } }])),
  ),
};

const item = (content: unknown, role = "user"): object => ({ type: "message", role, content });
const call = (at: number, args = "{}"): object => ({ type: "function_call", call_id: `c${at}`, name: "f", arguments: args });
const output = (at: number, said: unknown = "r"): object => ({ type: "function_call_output", call_id: `c${at}`, output: said });
const asking = (input: unknown, more: object = {}): object => ({ model: "m", input, ...more });
const functionTool = (at: number, parameters: object = {}): object => ({ type: "function", name: `f${at}`, parameters });

export const RESPONSES: DearBodies = {
  "short strings in a call's output": refused(() => asking([item("x"), call(0), output(0, repeated(STRINGS))])),
  "short strings in a tool's schema": good(() => asking("x", { tools: [functionTool(0, enumOf(STRINGS))] })),
  "short strings in an item of an unknown type": native(() => asking([{ type: "foo", role: "user", x: repeated(STRINGS) }])),
  "short strings in a format": good(() => asking("x", { text: { format: { type: "json_schema", name: "n", schema: enumOf(STRINGS) } } })),
  "7,000 tools": good(() => asking("x", { tools: times(7_000, (at) => functionTool(at)) })),
  "5,000 tools, most of them allowed": good(() =>
    asking("x", {
      tools: times(5_000, (at) => functionTool(at)),
      tool_choice: { type: "allowed_tools", mode: "auto", tools: times(4_000, (at) => ({ type: "function", name: `f${at}` })) },
    }),
  ),
  "7,000 calls and outputs": good(() => asking([item("x"), ...times(7_000, (at) => call(at)), ...times(7_000, (at) => output(at))])),
  "7,000 turns of a call": good(() => asking([item("x"), ...times(7_000, (at) => [call(at), output(at)]).flat()])),
  "14,000 messages": good(() => asking(times(OBJECTS, (at) => item("a", at % 2 ? "assistant" : "user")))),
  "14,000 texts": good(() => asking([item(times(OBJECTS, () => ({ type: "input_text", text: "a" })))])),
  "7,000 thoughts and texts": good(() =>
    asking([
      item("x"),
      ...times(7_000, (at) =>
        at % 2 ? { type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: "b" } : item("a", "assistant"),
      ),
      item("x"),
    ]),
  ),
  "15 MB of signatures": good(() =>
    asking([
      item("x"),
      ...times(15, (at) => ({ type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: SIGNATURE })),
      item("x"),
    ]),
  ),
  "15 MB of Chinese": good(() => asking([item([{ type: "input_text", text: CHINESE }])])),
  "15 MB of instructions": good(() => asking("x", { instructions: LONG })),
  "15 MB in a call's output": good(() => asking([item("x"), call(0), output(0, LONG)])),
  "15 MB in a call": good(() => asking([item("x"), call(0, JSON.stringify({ a: LONG })), output(0)])),
};

const content = (parts: readonly object[], role = "user"): object => ({ role, parts });
const textTurn = (text: string, role = "user"): object => content([{ text }], role);
const functionCall = (at: number): object => ({ functionCall: { name: `f${at % 7}`, args: {} } });
const functionResponse = (at: number, response: object = {}): object => ({ functionResponse: { name: `f${at % 7}`, response } });
const contents = (...all: readonly object[]): object => ({ contents: all });
const declaring = (functionDeclarations: readonly object[]): object => ({ tools: [{ functionDeclarations }] });

export const GEMINI: DearBodies = {
  "short strings in a part of tomorrow": native(() => contents(content([{ foo: repeated(STRINGS) }]))),
  "short strings in a tool's schema": good(() => ({
    ...contents(textTurn("x")),
    ...declaring([{ name: "f", parametersJsonSchema: enumOf(STRINGS) }]),
  })),
  "short strings in a result": good(() =>
    contents(textTurn("x"), content([functionCall(0)], "model"), content([functionResponse(0, { output: repeated(STRINGS) })])),
  ),
  "19,000 members in a result": good(() =>
    contents(
      textTurn("x"),
      content([functionCall(0)], "model"),
      content([functionResponse(0, Object.fromEntries(times(19_000, (at) => [`n${at}`, "a"])))]),
    ),
  ),
  "14,000 functions": good(() => ({ ...contents(textTurn("x")), ...declaring(times(OBJECTS, (at) => ({ name: `f${at}` }))) })),
  "14,000 functions, of which some of 90,000 are allowed": good(() => ({
    ...contents(textTurn("x")),
    ...declaring(times(OBJECTS, (at) => ({ name: `f${at}` }))),
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: times(90_000, (at) => `g${at % 20_000}`) } },
  })),
  "2,000 calls and results": good(() =>
    contents(textTurn("x"), content(times(2_000, functionCall), "model"), content(times(2_000, (at) => functionResponse(at)))),
  ),
  "1,000 turns of a call": good(() =>
    contents(textTurn("x"), ...times(1_000, (at) => [content([functionCall(at)], "model"), content([functionResponse(at)])]).flat()),
  ),
  "4,500 contents": good(() => contents(...times(4_500, (at) => textTurn("a", at % 2 ? "model" : "user")))),
  "14,000 texts": good(() => contents(content(times(OBJECTS, () => ({ text: "a" }))))),
  "14,000 thoughts and texts": good(() =>
    contents(
      textTurn("x"),
      content(
        times(OBJECTS, (at) => (at % 2 ? { text: "a", thought: true, thoughtSignature: "b" } : { text: "a" })),
        "model",
      ),
      textTurn("x"),
    ),
  ),
  "15 MB of signatures": good(() =>
    contents(
      textTurn("x"),
      content(
        times(15, () => ({ text: "a", thought: true, thoughtSignature: SIGNATURE })),
        "model",
      ),
      textTurn("x"),
    ),
  ),
  "15 MB of Chinese": good(() => contents(textTurn(CHINESE))),
  "15 MB in a result": good(() =>
    contents(textTurn("x"), content([functionCall(0)], "model"), content([functionResponse(0, { output: LONG })])),
  ),
  "15 MB in a call": good(() =>
    contents(textTurn("x"), content([{ functionCall: { name: "f0", args: { a: LONG } } }], "model"), content([functionResponse(0)])),
  ),
  "a picture of 15 MB": good(() => contents(content([{ inlineData: { mimeType: "image/png", data: "QUJD".repeat(3.7 * MB) } }]))),
};

const embedding = (input: unknown): object => ({ model: "m", input });
export const EMBEDDINGS: DearBodies = {
  "short strings in a list of a list": good(() => embedding([repeated(STRINGS)])),
  "short strings in lists of a list": refused(() => embedding(times(2_000, () => repeated(225)))),
  "short strings in an object": good(() => embedding([{ content: repeated(STRINGS) }])),
  "2,048 texts of 7 KB": good(() => embedding(times(2_048, (at) => `${LONG.slice(0, 7_000)}${at}`))),
  "15 MB of text": good(() => embedding(LONG)),
  "15 MB of Chinese": good(() => embedding([CHINESE])),
  "2,048 objects of one text": good(() => embedding(times(2_048, (at) => ({ content: [{ type: "text", text: `a${at}` }] })))),
};
