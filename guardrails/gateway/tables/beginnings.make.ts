/**
 * Makes `beginnings.json`: how the words of English, Spanish, French, German and Italian begin, from the word lists of
 * `an-array-of-*-words` (MIT), as bits of which each beginning sets five. `bun guardrails/gateway/tables/beginnings.make.ts`
 */
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BITS, beginningOf, bitsOf } from "../gibberish/beginnings.ts";

const LANGUAGES = ["english", "french", "german", "italian", "spanish"];

/** The table as text. */
export function beginningsTableText(): string {
  const require = createRequire(import.meta.url);
  const bytes = new Uint8Array(BITS / 8);
  const beginnings = new Set<string>();
  for (const language of LANGUAGES)
    for (const word of require(`an-array-of-${language}-words`) as readonly string[]) beginnings.add(beginningOf(word));
  for (const beginning of beginnings) for (const bit of bitsOf(beginning)) bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7));
  return `${JSON.stringify({ from: `an-array-of-{${LANGUAGES.join(",")}}-words, MIT`, bits: Buffer.from(bytes).toString("base64") })}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "beginnings.json"), beginningsTableText());
