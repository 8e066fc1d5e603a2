import { isJson, type Json } from "#contract";

/** An image as it was fetched. */
export interface FetchedImage {
  readonly mediaType: string;
  readonly base64: string;
}
type Steps = readonly (string | number)[];

/** A body in which an image stands inline, in the dialect's own form, where its URL stood at this path. */
export function withImage(body: Json, path: string, image: FetchedImage): Json {
  const steps = stepsOf(path);
  const [holder, last] = [steps.at(-2), steps.at(-1)];
  if (last === "url" && holder === "source") return changed(body, steps.slice(0, -1), () => sourceOf(image)) as Json; // an object stays one
  if (typeof holder === "string" && isFileData(holder))
    return changed(body, steps.slice(0, -2), (part) => inlinePart(part, holder, image)) as Json;
  return changed(body, steps, () => `data:${image.mediaType};base64,${image.base64}`) as Json;
}
/** Messages name the type of a source, and Gemini has a member for each way to give a file. */
const sourceOf = ({ mediaType, base64 }: FetchedImage): Json => ({ type: "base64", media_type: mediaType, data: base64 });
const isFileData = (name: string): boolean => name === "fileData" || name === "file_data";
function inlinePart(part: unknown, holder: string, { mediaType, base64 }: FetchedImage): unknown {
  if (!isJson(part)) return part;
  const { [holder]: _, ...rest } = part;
  return { ...rest, inlineData: { mimeType: mediaType, data: base64 } };
}

/** Only what stands on the way is copied. */
function changed(value: unknown, [step, ...rest]: Steps, change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === Number(step) ? changed(item, rest, change) : item));
  return isJson(value) ? { ...value, [step]: changed(value[step], rest, change) } : value;
}
/** Paths of images hold names and indexes alone: those of a client's own making do not lead to one. */
const stepsOf = (path: string): Steps => path.split(/[.[\]]+/).filter((step) => step !== "");
