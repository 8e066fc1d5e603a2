import type { Json } from "#contract";
import { CATEGORIES, type Category, type Entity } from "../../pii/entity.ts";

/** A line of a set. */
type Case = Json & { readonly text: string };

/** A case lists the values of its text in their order, each behind its category: `NAME Ada Lovelace`. */
function markedIn({ text, entities }: Case): readonly Entity[] {
  let from = 0;
  return (entities as readonly string[]).map((marked) => {
    const [category = "", value = ""] = marked.split(/ (.*)/s);
    const start = text.indexOf(value, from);
    if (start < 0) throw new Error(`${value} does not stand in: ${text}`);
    from = start + value.length;
    return { category: category as Category, start, end: from }; // as the sets are written
  });
}

/** Names and addresses have no one border ("Mr. Smith"): there half of the longer must be common. All others must be exact. */
const LOOSE: ReadonlySet<Category> = new Set(["NAME", "LOCATION_ADDRESS"]);
function agrees(found: Entity, marked: Entity): boolean {
  if (found.category !== marked.category) return false;
  if (!LOOSE.has(found.category)) return found.start === marked.start && found.end === marked.end;
  const common = Math.min(found.end, marked.end) - Math.max(found.start, marked.start);
  return common * 2 >= Math.max(found.end - found.start, marked.end - marked.start);
}

/** Names and addresses by language, for how well they are found depends on it. */
const labelOf = ({ category }: Entity, { lang }: Case, which: string): string =>
  `${LOOSE.has(category) ? `${category} ${lang as string}` : category}#${which}`;

export default {
  params: () => ({ categories: CATEGORIES, redact: false }),
  expected: (row: Case) => markedIn(row).map((marked) => labelOf(marked, row, `${marked.start}`)),
  found({ entities }: Json, row: Case) {
    const marked = markedIn(row);
    return (entities as readonly Entity[]).map((found) => {
      const match = marked.find((other) => agrees(found, other));
      return labelOf(found, row, match === undefined ? `wrong ${found.start}` : `${match.start}`);
    });
  },
};
