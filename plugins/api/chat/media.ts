import type { Json } from "#contract";
import { mediaKind } from "../content/media-kind.ts";

/** Made by the model, as a content part: an image or a file by its URL. */
export const mediaPart = (url: string): Json =>
  mediaKind(url) === "image" ? { type: "image_url", image_url: { url } } : { type: "file", file: { file_data: url } };

/**
 * The member of a message in which clients look for it. OpenAI's form has `audio`; for images it has none, and `images`
 * is what the others write: an answer without its image would be another answer, in strict mode too.
 */
export function mediaMember(url: string, at: MediaCount, numbered: boolean): Json {
  const kind = mediaKind(url);
  if (kind === "audio") return { audio: { id: `audio_${at.id}`, data: url.slice(url.indexOf(",") + 1), expires_at: 0, transcript: "" } };
  return kind === "image" ? { images: [{ ...(numbered && { index: at.images++ }), ...mediaPart(url) }] } : {};
}
/** Images told so far in one choice, and the answer they belong to. */
export interface MediaCount {
  readonly id: string;
  images: number;
}
