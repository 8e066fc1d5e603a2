import type { Segment } from "#contract";
import type { Category } from "./entity.ts";
import { entitiesByPiece, type Found } from "./pieces.ts";

/** A part of a message that consists of several. */
const PART = /^((?:.{1,200}\.)?(?:content|parts|system))\[\d{1,6}\]\.text$/s;
/** Characters of a part that may belong to a value which goes on in the next. */
const EDGE = 160;
/** What stands for the middle of a long part: no value goes across it. */
const BETWEEN = "\n\n";

/** What of a value stands in one part; its value is the whole, as all parts say it together. */
export interface SplitPart extends Found {
  /** The place of the part among the segments. */
  readonly segment: number;
  /** Does it go on what begins in a part before? */
  readonly goesOn?: true;
}

/** Values that begin in one text of a message and go on in the next, for a model reads the two as one; each in its parts. */
export function* splitValues(
  segments: readonly Segment[],
  categories: ReadonlySet<Category>,
): Generator<undefined, readonly (readonly SplitPart[])[]> {
  const split: (readonly SplitPart[])[] = [];
  for (const run of runsOf(segments)) {
    const edges = edgesOf(run, segments);
    const found = yield* entitiesByPiece(edges.map(({ text }) => text).join(""), categories);
    split.push(...inParts(found, edges));
    yield;
  }
  return split;
}

/** Places of texts that are parts of one message, where it has several. */
function runsOf(segments: readonly Segment[]): readonly (readonly number[])[] {
  const runs = new Map<string, number[]>();
  segments.forEach(({ path, kind, role }, at) => {
    const message = kind === "text" && path.endsWith("].text") ? PART.exec(path)?.[1] : undefined;
    if (message === undefined) return;
    const key = `${role} ${message}`;
    const run = runs.get(key);
    if (run === undefined) runs.set(key, [at]);
    else run.push(at);
  });
  return [...runs.values()].filter((run) => run.length > 1);
}

/** A piece of a part that is looked at together with its neighbours'. */
interface Edge {
  readonly segment: number;
  /** Where the piece begins in the part, and where it begins in the pieces behind each other. */
  readonly from: number;
  readonly at: number;
  readonly text: string;
}

/** The beginning and the end of each part, which are the same where it is short. */
function edgesOf(run: readonly number[], segments: readonly Segment[]): readonly Edge[] {
  const edges: Edge[] = [];
  let at = 0;
  const add = (segment: number, from: number, text: string): void => {
    edges.push({ segment, from, at, text });
    at += text.length;
  };
  for (const segment of run) {
    const text = segments[segment]?.text ?? "";
    if (text.length <= 2 * EDGE) {
      add(segment, 0, text);
      continue;
    }
    add(segment, 0, `${text.slice(0, EDGE)}${BETWEEN}`);
    add(segment, text.length - EDGE, text.slice(-EDGE));
  }
  return edges;
}

/** Of each value that stands in more than one part its parts; values and pieces both stand in their order. */
function inParts(found: readonly Found[], edges: readonly Edge[]): readonly (readonly SplitPart[])[] {
  let first = 0;
  return found.flatMap((value) => {
    while (endOf(edges[first]) <= value.start) first += 1;
    let last = first;
    while (endOf(edges[last]) < value.end) last += 1;
    return edges[first]?.segment === edges[last]?.segment ? [] : [edges.slice(first, last + 1).map((edge) => partIn(edge, value))];
  });
}
const endOf = (edge: Edge | undefined): number => (edge === undefined ? Infinity : edge.at + edge.text.length);

const partIn = ({ segment, from, at, text }: Edge, { category, value, start, end }: Found): SplitPart => ({
  category,
  value,
  segment,
  start: from + Math.max(start, at) - at,
  end: from + Math.min(end, at + text.length) - at,
  ...(start < at && { goesOn: true as const }),
});
