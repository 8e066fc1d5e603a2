/** Spec 2.6: what `gateway.moderateContent` can be told to look for. */
export const CATEGORIES = [
  "hate",
  "hate/threatening",
  "harassment",
  "harassment/threatening",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Says what a text is, by rules of its own. */
export interface Lexicon {
  flagged(text: string): ReadonlySet<Category>;
}

/** What is always said with it: a threat of hate is hate. */
export const WIDER: Readonly<Partial<Record<Category, Category>>> = {
  "hate/threatening": "hate",
  "harassment/threatening": "harassment",
  "self-harm/intent": "self-harm",
  "self-harm/instructions": "self-harm",
  "sexual/minors": "sexual",
  "violence/graphic": "violence",
};
