import { type Ask, type ChatRequest, defineAdapter, type Json, travellingMembers } from "#contract";
import { conversationOf } from "./contents.ts";
import { generationConfigOf } from "./generation.ts";
import { modelPath } from "./model-path.ts";
import { type AnswerState, answerStream, reply } from "./reply.ts";
import { toolConfigOf, toolsOf } from "./tools.ts";

/** Members of the Gemini wire that are mapped besides the chat form's. */
const ALSO_MAPPED = ["image_config", "media_resolution", "generation_config", "generationConfig"];

function toGemini(body: Json, { target }: Ask): Json {
  // validated as ChatBody at the edge; the nested members are read with care
  const asked = { ...body, model: target.model } as unknown as ChatRequest;
  const mapped = {
    ...conversationOf(asked),
    tools: toolsOf(asked),
    toolConfig: toolConfigOf(asked),
    generationConfig: generationConfigOf(asked),
  };
  const travelling = Object.entries(travellingMembers(body, ALSO_MAPPED));
  return Object.fromEntries([...travelling, ...Object.entries(mapped).filter(([, value]) => value !== undefined)]);
}

/** Chat completions over :generateContent and :streamGenerateContent. */
export const chat = defineAdapter<AnswerState>({
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:${ask.stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  frames: "sse",
  request: toGemini,
  reply,
  stream: answerStream,
});
