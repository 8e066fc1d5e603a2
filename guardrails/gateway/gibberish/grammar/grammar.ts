/** The small words of a language, by what they do in a sentence, and what neighbours they do not have. */
export interface Grammar {
  /** Articles and what stands in their place: a noun follows. */
  readonly determiners: string;
  readonly prepositions: string;
  readonly conjunctions: string;
  /** Pronouns that are a subject: a verb follows. */
  readonly subjects: string;
  /** Pronouns that lean on the verb which follows. */
  readonly clitics: string;
  /** Forms of `to be`, `to have` and the like that belong to a subject: two do not follow each other. */
  readonly verbs: string;
  /** Other words of which nearly every sentence has some. */
  readonly others: string;
  /** Words that may end a sentence although their kind does not. */
  readonly mayEnd: string;
  /** Pairs that are well said although their kinds say otherwise; `*` is every word. Parted by commas. */
  readonly fine: string;
  /** Pairs that nobody says. */
  readonly never: string;
  /** More of them: words, and what does not follow any of them because of its sound, its ending or its sense. */
  readonly clashes: readonly (readonly [first: string, second: RegExp])[];
}
