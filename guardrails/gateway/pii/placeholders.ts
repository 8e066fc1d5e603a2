import type { Category } from "./entity.ts";
import type { Held } from "./search.ts";

const WRITTEN = /\{\{([A-Z_]{3,20})_(\d{1,6})\}\}/g;

/**
 * What stands for a value: `{{EMAIL_ADDRESS_1}}`. A value has the same one wherever it stands, and they are counted in the
 * order of the texts, so that a conversation which is sent again with a message more keeps those that it had.
 */
export class Placeholders {
  private readonly byValue = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** An answer may speak of placeholders of its request: those numbers stand for something already. */
  *leaveOut(text: string): Generator<undefined, void> {
    let seen = 0;
    for (const [, category = "", number = ""] of text.matchAll(WRITTEN)) {
      this.counts.set(category, Math.max(this.counts.get(category) ?? 0, Number(number)));
      if (++seen % AT_ONCE === 0) yield;
    }
  }

  of(category: Category, value: string): string {
    const key = `${category} ${sameness(category, value)}`;
    const known = this.byValue.get(key);
    if (known !== undefined) return known;
    const count = (this.counts.get(category) ?? 0) + 1;
    this.counts.set(category, count);
    const made = `{{${category}_${count}}}`;
    this.byValue.set(key, made);
    return made;
  }

  /** The text with its values replaced. */
  *redacted(text: string, values: readonly Held[]): Generator<undefined, string> {
    const written: string[] = [];
    let from = 0;
    for (const { category, start, end, value, goesOn } of values) {
      written.push(text.slice(from, start), goesOn ? "" : this.of(category, value));
      from = end;
      if (written.length % AT_ONCE === 0) yield;
    }
    written.push(text.slice(from));
    return written.join("");
  }
}
/** Values before others have their turn. */
const AT_ONCE = 1_000;

const NUMBERS: ReadonlySet<Category> = new Set(["PHONE_NUMBER", "CREDIT_CARD", "SSN"]);
/** The same number with other separators, the same name in other letters, is the same value. */
const sameness = (category: Category, value: string): string =>
  NUMBERS.has(category) ? value.replace(/^00/, "+").replace(/[^\d+]/g, "") : value.toLowerCase().replace(/\s+/g, " ");
