import { LONGEST, MAY_DISGUISE, ordinaryAt } from "./disguise.ts";

/** A part of a text as finders read it. */
export interface Window {
  /** With ordinary characters in the place of disguised ones. */
  readonly text: string;
  /** Values that begin from here on are this window's, those before it were the last one's. */
  readonly from: number;
  /** Values that begin from here on are the next one's. */
  readonly to: number;
  /** Where a character of it stands in the text itself. */
  placeOf(at: number): number;
}

/** Characters that are looked through before others may have their turn: less than a millisecond, of a text made to be slow some tens. */
const PIECE = 2_048;
/** Characters on both sides of a piece that its finders see too: words before a value, and a value across the border. */
const BESIDE = 256;

/** Characters as finders read them, each with its place. */
interface Read {
  readonly text: string;
  /** Where each stands, and where the text behind the last goes on; `null` when they stand one behind the other from `start`. */
  readonly places: readonly number[] | null;
  readonly start: number;
}

/** The windows of a text, one after the other; each is read when it is asked for, and no more of the text is kept than it shows. */
export function* windowsOf(text: string): Generator<Window | undefined, void> {
  let held: Read = { text: "", places: null, start: 0 };
  let at = 0;
  let from = 0;
  while (true) {
    while (at < text.length && held.text.length < from + PIECE + BESIDE) {
      const next = readAt(text, at);
      held = joined(held, next.read);
      at = next.end;
      if (at < text.length && next.read.text.length < PIECE / 2) yield undefined; // little but invisible signs, of which a window takes many pieces
    }
    const last = at >= text.length && held.text.length <= from + PIECE + BESIDE;
    yield windowOf(held, from, last ? held.text.length : from + PIECE);
    if (last) return;
    held = cut(held, from + PIECE - BESIDE);
    from = BESIDE;
  }
}

const windowOf = (read: Read, from: number, to: number): Window => ({ text: read.text, from, to, placeOf: (at) => placeIn(read, at) });
const placeIn = ({ places, start }: Read, at: number): number => (places === null ? start + at : (places[at] ?? start));

/** The next characters of a text. */
function readAt(text: string, start: number): { readonly read: Read; readonly end: number } {
  const end = Math.min(text.length, start + PIECE);
  const piece = text.slice(start, end + LONGEST);
  if (!MAY_DISGUISE.test(piece)) return { read: { text: text.slice(start, end), places: null, start }, end };
  const places: number[] = [];
  let plain = "";
  let at = start;
  while (at < end) {
    const { as, units } = ordinaryAt(text, at, plain.slice(-1));
    for (let more = 0; more < as.length; more += 1) places.push(at);
    plain += as;
    at += units;
  }
  places.push(at);
  return { read: { text: plain, places, start }, end: at };
}

/** One read behind the other. */
function joined(one: Read, next: Read): Read {
  if (one.text === "") return next;
  const text = one.text + next.text;
  if (one.places === null && next.places === null) return { text, places: null, start: one.start };
  return { text, places: [...placesOf(one).slice(0, -1), ...placesOf(next)], start: one.start };
}
const placesOf = ({ text, places, start }: Read): readonly number[] =>
  places ?? Array.from({ length: text.length + 1 }, (_, at) => start + at);

/** What is left of a read from a character on. */
const cut = (read: Read, from: number): Read => ({
  text: read.text.slice(from),
  places: read.places?.slice(from) ?? null,
  start: read.start + from,
});
