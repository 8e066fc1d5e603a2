import { type ChatRequest, type Json, travellingMembers } from "#contract";
import { conversationOf } from "./contents.ts";
import { generationConfigOf } from "./generation.ts";
import { toolConfigOf, toolsOf } from "./tools.ts";

/** Members of the Gemini wire that are mapped besides the chat form's. */
const ALSO_MAPPED = ["image_config", "media_resolution", "generation_config", "generationConfig"];

/** A chat request as the body of generateContent. The model stands in the URL; by its bare name, families are told apart. */
export function geminiRequest(body: Json, model: string): Json {
  // validated as ChatBody at the edge; the nested members are read with care
  const request = { ...body, model } as unknown as ChatRequest;
  const mapped = {
    ...conversationOf(request),
    tools: toolsOf(request),
    toolConfig: toolConfigOf(request),
    generationConfig: generationConfigOf(request),
  };
  const travelling = Object.entries(travellingMembers(body, ALSO_MAPPED));
  return Object.fromEntries([...travelling, ...Object.entries(mapped).filter(([, value]) => value !== undefined)]);
}
