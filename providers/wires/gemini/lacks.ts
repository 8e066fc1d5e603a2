/** What Gemini has in no form, wherever it is asked. */
export const GEMINI_LACKS = ["keptFiles", "soundFormats"] as const;
