import type { Json } from "#contract";
import { messages, textOf } from "./message.ts";
import type { Scenario } from "./scenario.ts";
import { calledTool } from "./tool.ts";

/** What the model says, cut into the pieces in which it is streamed. */
export interface Speech {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly tool: { readonly id: string; readonly name: string; readonly arguments: string } | undefined;
  readonly usage: SpeechUsage;
}
export interface SpeechUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly reasoning: number;
}

/** One token for every four characters begun. */
const tokens = (text: string): number => Math.ceil(text.length / 4);
const words = (text: string): readonly string[] => (text === "" ? [] : text.split(/(?<=\s)(?=\S)/));

export function speechOf(body: Json, scenario: Scenario, id: string): Speech {
  const called = calledTool(body, scenario);
  const tool = called && { id: `call_${id}`, name: called.name, arguments: JSON.stringify(called.arguments) };
  const text = tool ? [] : spoken(body, scenario);
  const reasoning = words(scenario.reasoning ?? "");
  const thought = tokens(reasoning.join(""));
  const said = tool ? tokens(tool.name + tool.arguments) : tokens(text.join(""));
  return {
    reasoning,
    text,
    tool,
    usage: { prompt: tokens(messages(body).map(textOf).join("")), completion: said + thought, reasoning: thought },
  };
}

function spoken(body: Json, { chunks, text }: Scenario): readonly string[] {
  if (chunks !== undefined) return Array.from({ length: chunks }, (_, index) => `word${index} `);
  return words(text ?? echo(body));
}

/** The last user message, or what the tools returned when they spoke last. */
function echo(body: Json): string {
  const last = messages(body).at(-1);
  if (last?.["role"] === "tool") return `The tool returned: ${textOf(last)}`;
  return textOf(messages(body).findLast((message) => message["role"] === "user") ?? {}) || "(no text)";
}
