import type { Category, Entity } from "./entity.ts";
import { entitiesIn } from "./find.ts";
import { windowsOf } from "./windows.ts";

/** A value that was found, as finders read it: without disguise. */
export interface Found extends Entity {
  readonly value: string;
}

/**
 * What a text of any length holds, piece by piece: whoever asks may let others have their turn after each. With more than
 * `most` values it stops.
 */
export function* entitiesByPiece(text: string, categories: ReadonlySet<Category>, most = Infinity): Generator<undefined, readonly Found[]> {
  const found: Found[] = [];
  for (const window of windowsOf(text)) {
    if (found.length > 0 || window === undefined || window.from > 0) yield; // a short text is looked through at once
    if (window === undefined) continue;
    for (const { category, start, end } of yield* entitiesIn(window.text, categories)) {
      const at = window.placeOf(start);
      if (start < window.from || start >= window.to || at < (found.at(-1)?.end ?? 0)) continue;
      found.push({ category, start: at, end: window.placeOf(end), value: window.text.slice(start, end) });
    }
    if (found.length > most) return found;
  }
  return found;
}
