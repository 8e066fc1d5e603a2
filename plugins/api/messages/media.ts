import type { Json } from "#contract";
import { mediaKind } from "../content/media-kind.ts";

/**
 * What a model made, in the form in which the same client would send it. Anthropic's models make none, so its form of answers
 * has no place for it; an answer without its image would be another answer.
 */
export function mediaBlock(url: string): Json {
  const data = /^data:([^;,]*)[^,]*,/.exec(url.slice(0, MAX_HEAD));
  const source = data ? { type: "base64", media_type: data[1], data: url.slice(data[0].length) } : { type: "url", url };
  return { type: mediaKind(url) === "image" ? "image" : "document", source };
}
/** Characters in which a data URL names its media type. */
const MAX_HEAD = 256;
