/** Letters that only some languages of their script write, with those languages. */
const WRITTEN_BY: readonly (readonly [letters: RegExp, codes: string])[] = [
  [/[ыэё]/i, "be ru"],
  [/[ј]/i, "sr"],
  [/[ђљњћџ]/i, "sr"],
  [/[їґ]/i, "uk"],
  [/[є]/i, "uk"],
  [/[і]/i, "be uk"],
  [/[ў]/i, "be"],
  [/[ٹڈڑےں]/, "ur"],
];
/** Of these languages, those that write the letters of a text; all of them, when its letters say nothing. */
export function withTheirLetters(codes: readonly string[], text: string): readonly string[] {
  const told = WRITTEN_BY.filter(([letters, writers]) => writers.split(" ").some((code) => codes.includes(code)) && letters.test(text));
  const left = codes.filter((code) => told.every(([, writers]) => writers.split(" ").includes(code)));
  return left.length > 0 ? left : codes;
}
