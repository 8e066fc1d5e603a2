import type { Collected, CollectedChoice, EncodeOptions, Json, StreamEvent } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { EventWriter } from "./output/event-writer.ts";
import { type Content, OutputItems } from "./output/output-items.ts";
import { customToolsIn, headOf, responseBody, seedOf, statusOf } from "./response.ts";

const NOTHING: CollectedChoice = { text: "", reasoning: [], tools: [] };

/** A folded answer -> a whole response. Its items are made as those of a stream are. */
export function write(answer: Collected, options: EncodeOptions): Json {
  const choice = answer.choices[0] ?? NOTHING;
  const status = statusOf(choice.finish);
  const items = itemsOf(options, new EventWriter(true));
  for (const event of eventsOf(choice)) items.event(event);
  items.end(status);
  return responseBody(headOf(answer, options), { status, output: items.items, usage: answer.usage, finish: choice.finish });
}

export const itemsOf = (options: EncodeOptions, writer: EventWriter): OutputItems =>
  new OutputItems({
    writer,
    seed: seedOf(options),
    strict: options.strict,
    translated: options.translated === true,
    customTools: customToolsIn(options),
  });

const isContent = (event: StreamEvent): event is Content => !["start", "usage", "finish", "beside"].includes(event.type);

const eventsOf = (choice: CollectedChoice): readonly Content[] => [
  ...orderedEvents(choice, 0).filter(isContent),
  ...(choice.refusal === undefined ? [] : [{ type: "refusal", text: choice.refusal } as const]),
  ...choice.tools.map((call, index) => ({ type: "tool", index, ...call }) as const),
];
