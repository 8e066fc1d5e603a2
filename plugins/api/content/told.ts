import { isJson, type Json, parseJson } from "#contract";

/**
 * The texts that a stream has told, each by its place. Where an event tells one again, a client may read either telling: what
 * differs from the first is told too.
 */
export class ToldTexts {
  private readonly texts = new Map<string, string>();

  add(place: string, piece: string): void {
    this.texts.set(place, this.at(place) + piece);
  }
  at(place: string): string {
    return this.texts.get(place) ?? "";
  }
  /** All of them, without the blanks around each. */
  all(): ReadonlySet<string> {
    return new Set([...this.texts.values()].map((text) => text.trim()));
  }
  /** What of a text that is told again was not told yet: nothing, its rest, or all of it. */
  untold(place: string, again: string): string {
    const before = this.at(place);
    if (isSame(again, before)) return "";
    this.texts.set(place, again);
    return again.startsWith(before) ? again.slice(before.length) : again;
  }
}

/** Some leave out the blanks around a text where they tell it again. */
export const isSame = (again: string, before: string): boolean => again === before || again.trim() === before.trim();

/** Longer ones are compared as they are written. */
const MOST = 64 * 1024;
/** Do both texts hold the same JSON, whatever blanks stand between its values? */
export function isSameJson(again: string, before: string): boolean {
  if (again === before || again.length > MOST || before.length > MOST) return again === before;
  const [value, other] = [jsonIn(again), jsonIn(before)];
  return value !== undefined && other !== undefined && JSON.stringify(value) === JSON.stringify(other);
}
function jsonIn(text: string): Json | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined; // cut off, or no JSON
  }
}
