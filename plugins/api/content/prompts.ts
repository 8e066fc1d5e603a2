import { isJson, type Json } from "#contract";
import { list } from "./conversation.ts";
import { at, below, type Found, put } from "./found.ts";
import { readParts } from "./parts.ts";

type Reader = (body: Json, found: Found) => void;

/** The content of these members. */
export const members =
  (names: readonly string[]): Reader =>
  (body, found) => {
    for (const name of names) readParts(body[name], at(name, "user", 0), found);
  };

const PROMPTS = ["prompt", "suffix", "negative_prompt", "negativePrompt"] as const;
/** What to complete or to draw, and what not to: some providers take that below `parameters` as well. */
export function readPrompts(body: Json, found: Found): void {
  members(PROMPTS)(body, found);
  const { parameters } = body;
  if (isJson(parameters)) for (const name of PROMPTS) readParts(parameters[name], at(below("parameters", name), "user", 0), found);
}

/** Fields of forms that are texts for a model. */
const FORM_TEXTS: ReadonlySet<string> = new Set(
  [...PROMPTS, "instructions", "input", "text", "known_speaker_names"].map((name) => name.toLowerCase()),
);
/** A list is `name[]` or `name[0]`, and not all readers tell capitals apart. */
const isText = (name: string): boolean => FORM_TEXTS.has(name.replace(/\[.*$/s, "").toLowerCase());

/** The texts among a multipart form's fields; sent as JSON, its images as well. */
export function readFormTexts(body: Json, found: Found): void {
  for (const name in body) if (isText(name)) readParts(body[name], at(below("", name), "user", 0), found);
  for (const name of IMAGES) readImages(body[name], name, found);
}
const IMAGES = ["images", "image", "mask"] as const;

/** Links and data, one or a list; ids of files say nothing, and a form's files are no fields. */
function readImages(value: unknown, path: string, found: Found): void {
  if (Array.isArray(value)) return list(value).forEach((item, index) => readImages(item, `${path}[${index}]`, found));
  const link = isJson(value) ? value["image_url"] : value;
  const place = { path: isJson(value) ? below(path, "image_url") : path, role: "user", message: 0, kind: "image" } as const;
  if (typeof link === "string") put(found, { ...place, text: link });
  else if (isJson(link) && typeof link["url"] === "string") put(found, { ...place, path: below(place.path, "url"), text: link["url"] });
}

/** A text as numbers of tokens: in the list itself, or in lists of it. */
export const holdsTokens = (value: unknown): boolean => list(value).some((item) => isNumber(item) || list(item).some(isNumber));
const isNumber = (value: unknown): boolean => typeof value === "number";
