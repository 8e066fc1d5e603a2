import { isJson, type Json } from "./json.ts";

/** The models that a body, or the session inside of it, names besides its own: others in its place, those of tools, and what writes down what is said. */
export function namedModels(body: Json): readonly string[] {
  const { models, session } = body;
  const others: readonly unknown[] = Array.isArray(models) ? models : [];
  const found = [...others, ...inSession(body), ...(isJson(session) ? [session["model"], ...inSession(session)] : [])];
  return found.filter((model) => typeof model === "string");
}
function inSession(of: Json): readonly unknown[] {
  const { tools, audio, input_audio_transcription: older } = of;
  const input = isJson(audio) ? audio["input"] : undefined;
  const transcriptions = [older, isJson(input) ? input["transcription"] : undefined];
  return [...(Array.isArray(tools) ? tools : []), ...transcriptions].map((each: unknown) => (isJson(each) ? each["model"] : undefined));
}
