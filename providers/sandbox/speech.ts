import { type Json, nextTurn } from "#contract";
import { beginningOf, messages, textOf } from "./message.ts";
import { invalid } from "./missing.ts";
import { MAX_SAID, type Scenario } from "./scenario.ts";
import { calledTool } from "./tool.ts";

/** What the model says. */
export interface Speech {
  readonly reasoning: string;
  readonly text: string;
  readonly tool: { readonly id: string; readonly name: string; readonly arguments: string } | undefined;
  /** How often it is said: as many choices. */
  readonly count: number;
  readonly usage: SpeechUsage;
}
export interface SpeechUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly reasoning: number;
}

/** One token for every four characters begun. */
export const tokens = (texts: readonly string[]): number => Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / 4);

/** The pieces in which a text is streamed: its words, each cut off when its turn comes. */
export function* words(text: string): Generator<string> {
  for (const [word] of text.matchAll(/^\s+|\S+\s*/g)) yield word;
}

/** Choices of one answer; the texts of several share what one may say. */
const MAX_CHOICES = 128;
function countOf({ n = null }: Json): number {
  const count = n ?? 1;
  if (typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= MAX_CHOICES) return count;
  throw invalid("n", `n must be between 1 and ${MAX_CHOICES}.`);
}

export async function speechOf(body: Json, scenario: Scenario, id: string): Promise<Speech> {
  const count = countOf(body);
  const called = calledTool(body, scenario);
  const tool = called && { id: `call_${id}`, name: called.name, arguments: JSON.stringify(called.arguments) };
  const whole = tool
    ? ""
    : scenario.chunks === undefined
      ? (scenario.text ?? beginningOf(echo(body), MAX_SAID))
      : await counted(scenario.chunks);
  const text = count === 1 ? whole : beginningOf(whole, Math.floor(MAX_SAID / count));
  const { reasoning = "" } = scenario;
  const thought = tokens([reasoning]);
  const answerTokens = tokens(tool ? [tool.name, tool.arguments] : [text]);
  return {
    reasoning,
    text,
    tool,
    count,
    usage: {
      prompt: tokens(messages(body).map(textOf)),
      completion: (answerTokens + thought) * count,
      reasoning: thought * count,
    },
  };
}

export async function counted(count: number): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < count; from += PER_TURN) {
    if (from > 0) await nextTurn();
    const length = Math.min(PER_TURN, count - from);
    parts.push(Array.from({ length }, (_, index) => `word${from + index} `).join(""));
  }
  return parts.join("");
}
/** Words that are made before others have their turn. */
const PER_TURN = 20_000;

/** The last user message, or what the tools returned when they spoke last. */
function echo(body: Json): string {
  const last = messages(body).at(-1);
  if (last?.["role"] === "tool") return `The tool returned: ${textOf(last)}`;
  return textOf(messages(body).findLast((message) => message["role"] === "user") ?? {}) || "(no text)";
}
