/** A request and an answer of each operation that holds something to judge, with a word in each that must not get through. */
import { isJson, type Json } from "#contract";

/** What a request says, and what an answer does. */
export const ASKED = "aubergine";
export const ANSWERED = "bergamot";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const user = (content: unknown): Json => ({ role: "user", content });
const model = "m";

interface Surface {
  /** The body, or the fields of a form. */
  readonly asks?: Json;
  readonly answers?: Json;
  /** Of its events; `data` alone, or with a name. */
  readonly events?: readonly (Json | readonly [string, Json])[];
}
const message: Json = { id: "msg_1", object: "thread.message", role: "assistant", content: [textPart(ANSWERED)] };
const waiting: Json = {
  ...{ id: "run_1", object: "thread.run", status: "requires_action" },
  required_action: { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: [called(ANSWERED)] } },
};
const step: Json = { id: "step_1", object: "thread.run.step", step_details: { type: "tool_calls", tool_calls: [called(ANSWERED)] } };
const RUN_EVENTS: Surface["events"] = [
  ["thread.message.delta", { id: "msg_1", object: "thread.message.delta", delta: { content: [{ index: 0, ...textPart(ANSWERED) }] } }],
  ["thread.message.completed", message],
  ["thread.run.requires_action", waiting],
];
const candidates: Json = { candidates: [{ index: 0, content: { role: "model", parts: [{ text: ANSWERED }] }, finishReason: "STOP" }] };
const geminiAsks: Json = {
  contents: [{ role: "user", parts: [{ text: ASKED }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] }],
};
const outputItem: Json = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: ANSWERED, annotations: [] }],
};
const response: Json = { id: "resp_1", object: "response", status: "completed", model, output: [outputItem], usage: null };

export const SURFACES: Readonly<Record<string, Surface>> = {
  chatComplete: {
    asks: {
      model,
      messages: [
        user([
          { type: "text", text: ASKED },
          { type: "image_url", image_url: { url: PNG } },
        ]),
      ],
    },
    answers: {
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: ANSWERED }, finish_reason: "stop" }],
    },
    events: [
      { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: ANSWERED } }] },
      { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ],
  },
  complete: {
    asks: { model, prompt: ASKED },
    answers: { id: "c", object: "text_completion", choices: [{ index: 0, text: ANSWERED, finish_reason: "stop" }] },
    events: [{ id: "c", object: "text_completion", choices: [{ index: 0, text: ANSWERED, finish_reason: "stop" }] }],
  },
  messages: {
    asks: {
      ...{ model, max_tokens: 9 },
      messages: [
        user([
          { type: "text", text: ASKED },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ]),
      ],
    },
    answers: {
      id: "m",
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: ANSWERED }],
      stop_reason: "end_turn",
      usage: {},
    },
    events: [
      ["message_start", { type: "message_start", message: { id: "m", type: "message", role: "assistant", model, content: [], usage: {} } }],
      ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
      ["content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ANSWERED } }],
      ["content_block_stop", { type: "content_block_stop", index: 0 }],
      ["message_delta", { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }],
      ["message_stop", { type: "message_stop" }],
    ],
  },
  messagesCountTokens: { asks: { model, messages: [user(ASKED)] }, answers: { input_tokens: 1 } },
  createModelResponse: {
    asks: {
      model,
      store: false,
      input: [
        user([
          { type: "input_text", text: ASKED },
          { type: "input_image", image_url: PNG },
        ]),
      ],
    },
    answers: response,
    events: [
      ["response.created", { type: "response.created", response: { ...response, status: "in_progress", output: [] } }],
      ["response.output_item.added", { type: "response.output_item.added", output_index: 0, item: { ...outputItem, content: [] } }],
      [
        "response.content_part.added",
        {
          type: "response.content_part.added",
          item_id: "msg_1",
          output_index: 0,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        },
      ],
      [
        "response.output_text.delta",
        { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: ANSWERED },
      ],
      ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item: outputItem }],
      ["response.completed", { type: "response.completed", response }],
    ],
  },
  getModelResponse: { answers: response, events: [["response.completed", { type: "response.completed", response }]] },
  cancelModelResponse: { answers: response },
  generateContent: { asks: geminiAsks, answers: candidates },
  streamGenerateContent: { asks: geminiAsks, events: [candidates] },
  countTokens: { asks: geminiAsks, answers: { totalTokens: 1 } },
  embedContent: { asks: { content: { parts: [{ text: ASKED }] } }, answers: { embedding: { values: [1] } } },
  batchEmbedContents: {
    asks: { requests: [{ model: "models/m", content: { parts: [{ text: ASKED }] } }] },
    answers: { embeddings: [{ values: [1] }] },
  },
  embed: { asks: { model, input: ASKED }, answers: { object: "list", data: [{ index: 0, embedding: [1] }] } },
  rerank: { asks: { model, query: ASKED, documents: [ASKED] }, answers: { results: [{ index: 0, relevance_score: 1 }] } },
  decisions: { asks: { model, state: ASKED, questions: { q: { type: "noul", instructions: "?" } } }, answers: {} },
  moderate: { asks: { model, input: ASKED }, answers: { results: [] } },
  ocr: {
    asks: { model, document: { type: "document_url", document_url: "https://a.example/a.pdf" }, document_annotation_prompt: ASKED },
    answers: { pages: [{ index: 0, markdown: ANSWERED }], usage_info: { pages_processed: 1 } },
  },
  imageGenerate: { asks: { prompt: ASKED }, answers: { created: 1, data: [] } },
  imageEdit: { asks: { prompt: ASKED }, answers: { created: 1, data: [] } },
  imageVariation: { asks: { user: ASKED, prompt: ASKED }, answers: { created: 1, data: [] } },
  createSpeech: { asks: { model, input: ASKED, voice: "alloy" }, answers: {} },
  createTranscription: heard(),
  createTranslation: heard(),
  createAssistant: { asks: { model, instructions: ASKED }, answers: { id: "asst_1", object: "assistant" } },
  modifyAssistant: { asks: { instructions: ASKED }, answers: { id: "asst_1", object: "assistant" } },
  createThread: { asks: { messages: [user(ASKED)] }, answers: { id: "thread_1", object: "thread" } },
  listMessages: { answers: { object: "list", data: [message], has_more: false } },
  createMessage: { asks: user(ASKED), answers: { ...message, role: "user", content: [textPart("anything")] } },
  getMessage: { answers: message },
  modifyMessage: { asks: {}, answers: message },
  createThreadAndRun: {
    asks: { assistant_id: "asst_1", thread: { messages: [user(ASKED)] } },
    answers: waiting,
    events: RUN_EVENTS,
  },
  createRun: { asks: { assistant_id: "asst_1", additional_messages: [user(ASKED)] }, answers: waiting, events: RUN_EVENTS },
  submitToolOutputsToRun: { asks: { tool_outputs: [{ tool_call_id: "c", output: ASKED }] }, answers: waiting, events: RUN_EVENTS },
  listRuns: { answers: { object: "list", data: [waiting], has_more: false } },
  getRun: { answers: waiting },
  modifyRun: { asks: {}, answers: waiting },
  cancelRun: { answers: waiting },
  listRunSteps: { answers: { object: "list", data: [step], has_more: false } },
  getRunStep: { answers: step },
  searchVectorStore: {
    asks: { query: ASKED },
    answers: { object: "list", data: [{ file_id: "file-1", score: 1, content: [{ type: "text", text: ANSWERED }] }] },
  },
  retrieveVectorStoreFileContent: { answers: { object: "list", data: [{ type: "text", text: ANSWERED }], has_more: false } },
};

function textPart(value: string): Json {
  return { type: "text", text: { value, annotations: [] } };
}
function called(word: string): Json {
  return { id: "call_1", type: "function", function: { name: "look", arguments: JSON.stringify({ word }) } };
}
function heard(): Surface {
  return {
    asks: { model, prompt: ASKED },
    answers: { text: ANSWERED },
    events: [
      { type: "transcript.text.delta", delta: ANSWERED },
      { type: "transcript.text.done", text: ANSWERED },
    ],
  };
}

/** Events as a provider sends them. */
export const wireOf = ({ events = [] }: Surface): string =>
  events
    .map((event) => (isJson(event) ? `data: ${JSON.stringify(event)}\n\n` : `event: ${event[0]}\ndata: ${JSON.stringify(event[1])}\n\n`))
    .join("");

/** A request's body as its operation takes it. */
export function sentBy(kind: "json" | "form" | "none", { asks = {} }: Surface, streamed: boolean): string | FormData | undefined {
  if (kind === "none") return undefined;
  if (kind === "json") return JSON.stringify({ ...asks, ...(streamed && { stream: true }) });
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...asks, ...(streamed && { stream: "true" }) })) form.set(name, String(value));
  form.set("image", new File(["a"], "a.png"));
  form.set("file", new File(["a"], "a.wav"));
  return form;
}
