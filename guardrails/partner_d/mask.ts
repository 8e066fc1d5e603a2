/** Start and end of a piece of a text. */
export type Span = readonly [start: number, end: number];

/** Pieces so short are masked whole. */
const SHORT = 4;

/**
 * The text with these pieces masked, all but their first and last characters. The vendor counts characters, and does not
 * say whether one beyond the basic plane is one or two: where that makes a difference, both pieces are masked.
 */
export function masked(text: string, spans: readonly Span[]): string {
  const units = new Set<number>();
  const offsets = offsetsOf(text);
  for (const [start, end] of spans) {
    hide(units, start, Math.min(end, text.length));
    hide(units, offsets[start] ?? text.length, offsets[end] ?? text.length);
  }
  return text.replace(/[\s\S]/g, (unit, at: number) => (units.has(at) ? "*" : unit));
}

function hide(units: Set<number>, start: number, end: number): void {
  const margin = end - start > SHORT ? 1 : 0;
  for (let at = start + margin; at < end - margin; at += 1) units.add(at);
}

/** Where each character begins, counted in the text's own units. */
function offsetsOf(text: string): readonly number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return [...offsets, at];
}
