import type { Json, OperationId, Side } from "#contract";

/** A place in which a text can stand: of a request or an answer, in the form of one operation. */
export interface Surface {
  readonly name: string;
  readonly operation: OperationId;
  readonly side: Side;
  body(text: string): Json;
}
type Row = readonly [operation: OperationId, body: (text: string) => Json, name?: string];

const REQUESTS: readonly Row[] = [
  ["chatComplete", (text) => asked({ messages: [{ role: "user", content: text }] })],
  ["chatComplete", (text) => asked({ messages: [{ role: "user", content: [{ type: "text", text }] }] }), "chatComplete in parts"],
  ["messages", (text) => asked({ max_tokens: 9, messages: [{ role: "user", content: [{ type: "text", text }] }] })],
  ["createModelResponse", (text) => asked({ input: text })],
  [
    "createModelResponse",
    (text) => asked({ input: [{ role: "user", content: [{ type: "input_text", text }] }] }),
    "createModelResponse in items",
  ],
  ["generateContent", (text) => asked({ contents: [{ role: "user", parts: [{ text }] }] })],
  ["complete", (text) => asked({ prompt: text })],
  ["embed", (text) => asked({ input: [text] })],
  ["moderate", (text) => asked({ input: text })],
  ["rerank", (text) => asked({ query: text, documents: [] })],
  ["imageGenerate", (text) => asked({ prompt: text })],
  ["imageEdit", (text) => asked({ prompt: text })],
  ["createSpeech", (text) => asked({ input: text })],
];
const asked = (members: Json): Json => ({ model: "kit-model", ...members });

const ANSWERS: readonly Row[] = [
  ["chatComplete", (text) => ({ choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }] })],
  ["messages", (text) => ({ role: "assistant", content: [{ type: "text", text }], stop_reason: "end_turn" })],
  [
    "createModelResponse",
    (text) => ({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }] }),
  ],
  ["generateContent", (text) => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] })],
  ["complete", (text) => ({ choices: [{ index: 0, text, finish_reason: "stop" }] })],
  ["createTranscription", (text) => ({ text })],
];
const surfaces = (side: Side, rows: readonly Row[]): readonly Surface[] =>
  rows.map(([operation, body, name = operation]) => ({ name: `${side} of ${name}`, operation, side, body }));

/** Every place in which the text of a request or of an answer stands; the first of each side is a chat. */
export const SURFACES: Readonly<Record<Side, readonly Surface[]>> = {
  input: surfaces("input", REQUESTS),
  output: surfaces("output", ANSWERS),
};
/** A chat of one message, by its role. */
export const BY_ROLE: readonly Surface[] = (["user", "system", "developer", "assistant"] as const).map((role) => ({
  name: `a message of role ${role}`,
  operation: "chatComplete",
  side: "input",
  body: (text) => asked({ messages: [{ role, content: text }] }),
}));
/** Bodies in which there is nothing to read. */
export const WITHOUT_TEXT: Readonly<Record<Side, readonly Json[]>> = {
  input: [
    asked({ messages: [] }),
    asked({ messages: [{ role: "user", content: null }] }),
    asked({ messages: [{ role: "user", content: [] }] }),
    asked({}),
  ],
  output: [{ choices: [] }, { choices: [{ index: 0, message: { role: "assistant", content: null } }] }, {}],
};
