import type { Collected, Json } from "#contract";
import { argumentsOf, type JudgedChoice, judgedAs, stringOf } from "../content/judged.ts";
import { restsIn } from "../content/told-beside.ts";
import { count, object, objects } from "../content/wire.ts";
import { besideIn, besideOf, mediaPart } from "./parts.ts";

/** Text stands before thoughts, and is there with them, so that the place of neither depends on the other; a refusal stands beside both. */
const candidateOf = ({ text, refusal, thoughts, images = [], calls, rests = {} }: JudgedChoice, index: number): Json => ({
  content: {
    parts: [
      ...(text === "" && thoughts === "" ? [] : [{ text }]),
      ...(thoughts === "" ? [] : [{ text: thoughts, thought: true }]),
      ...images.map(mediaPart),
      ...calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
    ],
    role: "model",
  },
  ...(refusal !== "" && { refusal }),
  ...besideOf(rests),
  index,
});
const answerBody = ({ id, model }: Collected, judged: readonly JudgedChoice[]): Json => ({
  candidates: judged.map(candidateOf),
  ...(model !== undefined && { modelVersion: model }),
  ...(id !== undefined && { responseId: id }),
});

function choiceIn(candidate: Json): JudgedChoice {
  const { content, refusal } = candidate;
  const parts = objects(object(content).parts);
  const joinedText = (isThought: boolean): string =>
    parts.map((part) => ((part.thought === true) === isThought ? stringOf(part.text) : "")).join("");
  return {
    text: joinedText(false),
    refusal: stringOf(refusal),
    rests: restsIn(besideIn(candidate) ?? {}) ?? {},
    thoughts: joinedText(true),
    images: parts.flatMap(imageIn),
    calls: parts.flatMap(({ functionCall }) => {
      const { id, name, args } = object(functionCall);
      return functionCall === undefined ? [] : [{ id: stringOf(id), name: String(name), arguments: argumentsOf(args) }];
    }),
  };
}
function imageIn({ inlineData, fileData }: Json): readonly string[] {
  const { mimeType, data } = object(inlineData);
  const { fileUri } = object(fileData);
  if (typeof fileUri === "string") return [fileUri];
  return typeof data === "string" ? [`data:${String(mimeType)};base64,${data}`] : [];
}

/** A streamed answer in the form of a whole one. */
export const judged = judgedAs({
  body: answerBody,
  choices: ({ candidates }) => new Map(objects(candidates).map((candidate, at) => [count(candidate.index) ?? at, choiceIn(candidate)])),
  path: (choice, kind) => `candidates[${choice}].${PATHS[kind]}`,
});
const PATHS = { text: "content.parts[0].text", refusal: "refusal", reasoning: "content.parts[1].text" } as const;
