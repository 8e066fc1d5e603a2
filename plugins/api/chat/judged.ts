import type { Collected, Json } from "#contract";
import { argumentsOf, type JudgedChoice, judgedAs, stringOf } from "../content/judged.ts";
import { restsIn } from "../content/told-beside.ts";
import { count, object, objects } from "../content/wire.ts";
import { mediaPart } from "./media.ts";

const answerBody = ({ id, model, choices }: Collected, judged: readonly JudgedChoice[]): Json => ({
  ...(id !== undefined && { id }),
  object: "chat.completion",
  ...(model !== undefined && { model }),
  choices: judged.map((choice, index) => ({
    index,
    message: messageOf(choice),
    finish_reason: choices[index]?.finish ?? null,
    ...choice.rests,
  })),
});

const messageOf = ({ text, thoughts, refusal, calls, images = [], citations = [] }: JudgedChoice): Json => ({
  role: "assistant",
  content: text === "" && calls.length > 0 ? null : text,
  ...(thoughts !== "" && { reasoning_content: thoughts }),
  ...(refusal !== "" && { refusal }),
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })),
  }),
  ...(citations.length > 0 && { annotations: citations }),
  ...(images.length > 0 && { images: images.map(mediaPart) }),
});

const choiceIn = (message: Json, choice: Json): JudgedChoice => ({
  rests: restsIn(choice) ?? {},
  text: stringOf(message["content"]),
  refusal: stringOf(message["refusal"]),
  thoughts: stringOf(message["reasoning_content"]),
  calls: objects(message["tool_calls"]).map((call) => {
    const { name, arguments: args } = object(call["function"]);
    return { id: stringOf(call["id"]), name: String(name), arguments: argumentsOf(args) };
  }),
  citations: objects(message["annotations"]),
  images: objects(message["images"]).map((image) => stringOf(object(image["image_url"])["url"])),
});

/** A streamed answer in the form of a whole chat.completion. */
export const judged = judgedAs({
  body: answerBody,
  choices: ({ choices }) =>
    new Map(objects(choices).map((choice, at) => [count(choice["index"]) ?? at, choiceIn(object(choice["message"]), choice)])),
  path: (choice, kind) => `choices[${choice}].message.${MEMBER[kind]}`,
});
const MEMBER = { text: "content", refusal: "refusal", reasoning: "reasoning_content" } as const;
