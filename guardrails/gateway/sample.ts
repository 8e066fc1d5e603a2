/** Characters of each part that is looked at. */
const PART_CHARS = 1_024;
/** Characters of a text that are looked at, at most. */
export const SAMPLE_CHARS = 3 * PART_CHARS;

/** What a check looks at of a long text: its first, middle and last kilobyte. So its work has an end, however long the text is. */
export function sampleOf(text: string): string {
  if (text.length <= SAMPLE_CHARS) return text;
  const middle = Math.floor((text.length - PART_CHARS) / 2);
  return [text.slice(0, PART_CHARS), text.slice(middle, middle + PART_CHARS), text.slice(-PART_CHARS)].join("\n");
}

/** Milliseconds that a check takes at most for a text of so many characters: those of its sample. */
export const sampledMs = (chars: number, charNs: number): number => (Math.min(chars, SAMPLE_CHARS) * charNs) / 1_000_000;
