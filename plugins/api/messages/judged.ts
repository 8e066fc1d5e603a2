import type { Collected, CollectedChoice, Json } from "#contract";
import { argumentsOf, type JudgedChoice, judgedAs, stringOf, withItems } from "../content/judged.ts";
import { objects } from "../content/wire.ts";

/** Text stands before thoughts, and is there with them, so that the place of neither depends on the other; a refusal stands beside both. */
function judgedBody({ id, model, choices }: Collected, [choice]: readonly JudgedChoice[]): Json {
  const { text, refusal, thoughts, calls, citations = [] } = choice ?? NOTHING;
  const isSilent = text === "" && thoughts === "" && (calls.length > 0 || refusal !== "");
  return {
    ...(id !== undefined && { id }),
    type: "message",
    role: "assistant",
    ...(model !== undefined && { model }),
    content: [
      ...(isSilent ? [] : [{ type: "text", text, ...(citations.length > 0 && { citations }) }]),
      ...(thoughts === "" ? [] : [{ type: "thinking", thinking: thoughts }]),
      ...calls.map(({ id, name, arguments: args }) => ({ type: "tool_use", id, name, input: args })),
      ...blocksOf(choices[0]),
    ],
    ...(refusal !== "" && { refusal }),
  };
}
/** What a provider's own tools did. */
const blocksOf = (choice: CollectedChoice | undefined): readonly Json[] =>
  (choice?.marks ?? []).flatMap((mark) => (mark.type === "block" ? [mark.block] : []));
const SAID: ReadonlySet<unknown> = new Set(["text", "thinking", "tool_use"]);
const blocksIn = ({ content }: Json): readonly Json[] => objects(content).filter(({ type }) => !SAID.has(type));
const NOTHING: JudgedChoice = { text: "", refusal: "", thoughts: "", calls: [] };

function choiceIn({ content, refusal }: Json): JudgedChoice {
  const blocks = objects(content);
  const all = (type: string, member: string): string =>
    blocks.map((block) => (block.type === type ? stringOf(block[member]) : "")).join("");
  return {
    text: all("text", "text"),
    refusal: stringOf(refusal),
    citations: blocks.flatMap((block) => objects(block["citations"])),
    thoughts: all("thinking", "thinking"),
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: stringOf(id), name: String(name), arguments: argumentsOf(input) })),
  };
}

const judgedText = judgedAs({
  body: judgedBody,
  choices: (body) => new Map([[0, choiceIn(body)]]),
  path: (_choice, kind) => PATHS[kind],
});
const PATHS = { text: "content[0].text", refusal: "refusal", reasoning: "content[1].thinking" } as const;

/** A streamed answer in the form of a whole message. */
export const judged = withItems(judgedText, {
  of: blocksOf,
  shown: blocksIn,
  types: ["block"],
  eventOf: (block) => ({ type: "block", block }),
});
