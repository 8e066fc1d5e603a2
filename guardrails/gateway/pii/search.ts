import type { Segment } from "#contract";
import type { Category } from "./entity.ts";
import { entitiesByPiece, type Found } from "./pieces.ts";
import { type SplitPart, splitValues } from "./split.ts";
import { type Leaf, type Texts, textsOf } from "./texts.ts";

/** A value in a text, or what of it goes on in the text behind: the placeholder stands where it begins. */
export interface Held extends Found {
  readonly goesOn?: true;
}
/** A piece of content, and what each of its texts holds. */
export interface Searched {
  readonly piece: Texts;
  readonly entities: readonly (readonly Held[])[];
}

/** Values of one request that are counted and replaced. */
export const MOST_VALUES = 20_000;
export const countOf = (searched: readonly Searched[]): number =>
  searched.reduce((sum, { entities }) => sum + entities.reduce((inPiece, { length }) => inPiece + length, 0), 0);

/** Looks through every text, in turns; it stops when there are more values than are counted. */
export function* searchedIn(segments: readonly Segment[], categories: ReadonlySet<Category>): Generator<undefined, readonly Searched[]> {
  const searched: Searched[] = [];
  let room = MOST_VALUES;
  for (const segment of segments) {
    const piece = textsOf(segment);
    const entities: (readonly Held[])[] = [];
    searched.push({ piece, entities });
    for (const leaf of piece.list) {
      const found = yield* valuesOf(leaf, categories, room);
      entities.push(found);
      room -= found.length;
      if (room < 0) return searched;
      yield;
    }
  }
  return withSplit(searched, yield* splitValues(segments, categories));
}

function* valuesOf({ text, cue }: Leaf, categories: ReadonlySet<Category>, most: number): Generator<undefined, readonly Found[]> {
  const found = yield* entitiesByPiece(cue + text, categories, most);
  if (cue === "") return found;
  const moved = found.map((entity) => ({ ...entity, start: entity.start - cue.length, end: entity.end - cue.length }));
  return moved.filter(({ start }) => start >= 0);
}

/** What parts say together takes the place of what each of them seemed to say. */
function withSplit(searched: readonly Searched[], split: readonly (readonly SplitPart[])[]): readonly Searched[] {
  const told = split.filter((parts) => !parts.some((part) => isEnough(part, ownOf(searched[part.segment]))));
  if (told.length === 0) return searched;
  const bySegment = Map.groupBy(told.flat(), ({ segment }) => segment);
  return searched.map((each, at) => {
    const parts = bySegment.get(at);
    return parts === undefined ? each : { ...each, entities: [replaced(ownOf(each), parts), ...each.entities.slice(1)] };
  });
}
const ownOf = (searched: Searched | undefined): readonly Held[] => searched?.entities[0] ?? [];

/** A number goes on where the next part begins with digits; of words, what a part says by itself is enough. */
const isEnough = (part: SplitPart, own: readonly Held[]): boolean =>
  (part.category === "NAME" || part.category === "LOCATION_ADDRESS") &&
  own.some((entity) => entity.category === part.category && overlap(entity, part));
const overlap = (one: Held, other: Held): boolean => one.start < other.end && other.start < one.end;

const replaced = (own: readonly Held[], parts: readonly SplitPart[]): readonly Held[] =>
  [...own.filter((entity) => !parts.some((part) => overlap(part, entity))), ...parts].sort((one, other) => one.start - other.start);
