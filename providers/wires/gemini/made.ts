import { isJson, type Json, type StreamEvent } from "#contract";

type Choice = { readonly choice?: number };
/** What the vendor's own tools did, by the member that holds it. */
const OWN = ["executableCode", "codeExecutionResult", "fileData"] as const;

/** A part that is neither text nor call: an image or a sound the model made, the code it ran. A draft is no answer. */
export function madeEvents(part: Json, choice: Choice): StreamEvent[] {
  if (isJson(part.inlineData)) {
    const url = `data:${part.inlineData.mimeType};base64,${part.inlineData.data}`;
    return part.thought
      ? [{ type: "block", block: { type: "image_url", image_url: { url }, thought: true }, ...choice }]
      : [{ type: "media", url, ...choice }];
  }
  return OWN.filter((name) => isJson(part[name])).map((name) => ({ type: "block", block: { type: name, [name]: part[name] }, ...choice }));
}
