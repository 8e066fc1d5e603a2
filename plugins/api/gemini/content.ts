import { type BodyContent, isJson, type Json, type PlacedSegment } from "#contract";
import { list } from "../content/conversation.ts";
import { below, type Found } from "../content/found.ts";
import { BEFORE_ALL, readTold } from "../content/instructions.ts";
import { namesOf } from "../content/names.ts";
import { withoutBrokenSignatures } from "../content/signatures.ts";
import { readRests, RESTS } from "../content/told-beside.ts";
import { membersOf, readContent } from "./read-parts.ts";

type Reader = (body: Json, path: string, found: Found) => void;

/** What a model is told beside the contents: members, and members of members. */
const TOLD: readonly (readonly [string, string?])[] = [
  ["system"], // of other vendors' forms: it travels on to who reads it
  ["prediction"],
  ["functions"],
  ["response_format"],
  ["tools"],
  ["generationConfig", "responseSchema"],
  ["generationConfig", "responseJsonSchema"],
  ["generationConfig", "_responseJsonSchema"],
];
const readRequestTexts: Reader = (body, path, found) => {
  for (const [name, inside] of TOLD)
    for (const [value, where] of membersOf(body, name, path))
      if (inside === undefined) readTold(value, where, found);
      else if (isJson(value)) for (const [schema, place] of membersOf(value, inside, where)) readTold(schema, place, found);
};

const readRequest: Reader = (body, path, found) => {
  readRequestTexts(body, path, found);
  for (const [instruction, where] of membersOf(body, "systemInstruction", path))
    readContent(instruction, where, "system", BEFORE_ALL, found);
  const contents = below(path, "contents");
  list(body.contents).forEach((content, index) => readContent(content, `${contents}[${index}]`, null, index, found));
};
/** What is to be counted stands in the body itself, or below one member. */
const readCounted: Reader = (body, path, found) => {
  readRequest(body, path, found);
  for (const [request, where] of membersOf(body, "generateContentRequest", path)) if (isJson(request)) readRequest(request, where, found);
};
const readEmbedded: Reader = (body, path, found) => {
  for (const name of ["title", "content"]) readContent(body[name], below(path, name), "user", 0, found);
};
const readAllEmbedded: Reader = (body, _path, found) =>
  list(body.requests).forEach((request, index) => isJson(request) && readEmbedded(request, `requests[${index}]`, found));
/** A refusal stands alone as guardrails see it; on the wire it is a text. */
const readAnswer: Reader = (body, _path, found) =>
  list(body.candidates).forEach((candidate, index) => {
    if (!isJson(candidate)) return;
    readRests(candidate, `candidates[${index}]`, index, found);
    for (const name of ["content", "refusal"]) readContent(candidate[name], `candidates[${index}].${name}`, "assistant", index, found);
  });

const reading =
  (read: Reader) =>
  (body: Json): readonly PlacedSegment[] => {
    const found: Found = [];
    read(body, "", found);
    return found;
  };

/** From the end, until a content says something; a body without one is read whole. */
function lastInput(body: Json): readonly PlacedSegment[] {
  const contents = list(body.contents);
  const found: Found = [];
  for (let index = contents.length - 1; index >= 0 && found.length === 0; index -= 1)
    readContent(contents[index], `contents[${index}]`, null, index, found);
  return found.length > 0 ? found : reading(readRequest)(body);
}

/** A call keeps the form in which it has its arguments; a result that was read as its JSON is what the patch says. */
const replaced = (part: Json, changed: Json): Json =>
  "arguments" in changed && !("arguments" in part) ? { ...part, name: changed.name ?? part.name, args: changed.arguments ?? {} } : changed;

/** What a text rests on, and how likely it was. */
/** Members that say a text again, or vouch for it. */
const REPEATS: BodyContent["repeats"] = {
  text: ["thoughtSignature", "thought_signature"],
  content: ["logprobsResult", "logprobs_result", ...RESTS],
};
/** Names that have no capitals: this wire takes others in two forms only, and no server of it reads a third. */
const NAMES = namesOf(
  "args content contents executable_code file_data file_uri function_call function_response generate_content_request generation_config inline_data parts requests response role system_instruction text thought title tools",
);
const PATCHED = { replaced, rewritten: withoutBrokenSignatures, repeats: REPEATS, names: NAMES } satisfies BodyContent;

export const GENERATED: BodyContent = { ...PATCHED, input: reading(readRequest), lastInput, output: reading(readAnswer) };
export const COUNTED: BodyContent = { ...PATCHED, input: reading(readCounted), usage: () => NOTHING_USED };
export const EMBEDDED: BodyContent = { ...PATCHED, input: reading(readEmbedded), vectors: true };
export const ALL_EMBEDDED: BodyContent = { ...PATCHED, input: reading(readAllEmbedded), vectors: true };
/** Said, so that nobody counts the text and takes it for usage. */
const NOTHING_USED = { input: 0, output: 0 };
