import type { PlacedSegment, Scope, Segment, SegmentKind, Side } from "#contract";

/** Which pieces a check sees. */
export interface Choice {
  readonly wants: ReadonlySet<SegmentKind>;
  readonly scope: Scope;
  readonly measures: boolean;
}
/** The segments a check sees: of its kinds, in its scope. */
export function selected(all: readonly PlacedSegment[], { wants, scope, measures }: Choice, side: Side): readonly Segment[] {
  const seen: Segment[] = [];
  if (all.length === 0 || wants.size === 0) return seen;
  for (const segment of side === "input" ? ASKED[scope](all) : ANSWER[scope](all))
    if (measures && segment.beside) continue;
    else if (wants.has(segment.kind) || (segment.kind === "tool_result" && scope !== "user_messages" && wants.has("text")))
      seen.push(segment);
  return seen;
}
// The documented text under test is the last message whatever its role, so a tool's result counts as text; and all messages are no less.

type Chosen = (all: readonly PlacedSegment[]) => readonly PlacedSegment[];
const everything: Chosen = (all) => all;
/** A message that says nothing hides none before it. */
const later = (number: number, segment: PlacedSegment): number =>
  segment.message > number && saysSomething(segment) ? segment.message : number;
/** What a call says is read only by who looks at calls. */
export const saysSomething = (segment: Segment): boolean => segment.kind !== "text" || /\S/.test(segment.text);
const earlier = (number: number, { message }: PlacedSegment): number => Math.min(number, message);
function ofMessage(all: readonly PlacedSegment[], message: number): readonly PlacedSegment[] {
  const inside: PlacedSegment[] = [];
  for (const segment of all) if (segment.message === message) inside.push(segment);
  return inside;
}

const ASKED: Readonly<Record<Scope, Chosen>> = {
  last_message: (all) => ofMessage(all, all.reduce(later, Number.NEGATIVE_INFINITY)),
  user_messages: (all) => all.filter(({ role }) => role === "user"),
  turn: thisTurn,
  all_messages: everything,
};
const ANSWER: Readonly<Record<Scope, Chosen>> = {
  last_message: (all) => ofMessage(all, all.reduce(earlier, Number.POSITIVE_INFINITY)),
  user_messages: everything,
  turn: everything,
  all_messages: everything,
};

/** Everything after the last assistant message. Assistant text at the very end is a prefill, written by the client: it is new too. */
function thisTurn(all: readonly PlacedSegment[]): readonly PlacedSegment[] {
  const lastAsked = all.findLastIndex(({ role }) => role !== "assistant");
  const before = all.slice(0, lastAsked + 1).findLastIndex(({ role }) => role === "assistant");
  return all.slice(before + 1);
}
