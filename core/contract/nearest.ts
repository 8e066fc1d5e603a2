/** The name that a misspelt one was probably meant as: the nearest of those there are, at most two edits away. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const other of names) {
    const edits = editsBetween(lower, other.toLowerCase(), best ? best.edits - 1 : EDITS);
    if (edits !== undefined) best = { name: other, edits };
    if (edits === 0) break;
  }
  return best?.name;
}
/** For a name that there is not: the one that was probably meant, and all there are. */
export function knownNames(title: string, name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  const probably = meant === undefined ? "" : `${meant} was probably meant. `;
  return `${probably}${title}: ${names.join(", ") || "none"}.`;
}

/** More would make other words of short names. */
const EDITS = 2;
/** Longer names come from nobody who misspelt one of ours; comparing them would take long. */
const MAX_NAME = 200;

/** Insertions, deletions and replacements that make one text of the other; undefined when these are more than `most`. */
function editsBetween(text: string, other: string, most: number): number | undefined {
  if (text.length > MAX_NAME || Math.abs(text.length - other.length) > most) return undefined;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= text.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (text[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  const edits = row[other.length] ?? 0;
  return edits <= most ? edits : undefined;
}
