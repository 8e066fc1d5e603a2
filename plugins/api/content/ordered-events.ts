import type { CollectedChoice, Mark, StreamEvent } from "#contract";

/** Text, thoughts and all that stood among them, as the events that brought them. */
export function orderedEvents(choice: CollectedChoice, index: number): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  let from = 0;
  const tellText = (to: number): void => {
    if (to > from) events.push({ type: "text", text: choice.text.slice(from, to), choice: index });
    from = to;
  };
  for (const mark of choice.marks ?? choice.reasoning.map((_, thought): Mark => ({ type: "reasoning", index: thought, at: 0 }))) {
    tellText(mark.at);
    events.push(...eventOf(mark, choice, index));
  }
  tellText(choice.text.length);
  return [...events, ...besides(choice, index)];
}

function eventOf(mark: Mark, { reasoning }: CollectedChoice, choice: number): StreamEvent[] {
  if (mark.type === "reasoning")
    return reasoning.slice(mark.index, mark.index + 1).map((thought) => ({ type: "reasoning", ...thought, choice }));
  if (mark.type === "text") return [{ type: "text", text: "", begins: true, choice }];
  const { at: _at, ...event } = mark;
  return [{ ...event, choice }];
}

const besides = ({ logprobs, beside }: CollectedChoice, choice: number): StreamEvent[] => [
  ...(logprobs ? [{ type: "logprobs", tokens: logprobs, choice } as const] : []),
  ...(beside ? [{ type: "beside", members: beside, choice } as const] : []),
];
