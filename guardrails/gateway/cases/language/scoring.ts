import type { Json } from "#contract";

/** Labels of one language, and of two that a text can hardly tell apart, count as one. */
const MERGED: Readonly<Record<string, string>> = { pes_Arab: "fas_Arab", arb_Latn: "ara_Arab", msa_Latn: "ind_Latn" };
const merged = (label: unknown): readonly string[] => (typeof label === "string" ? [MERGED[label] ?? label] : []);

/** Shorter texts are in the sets as well; nothing is promised of them. */
const LEAST_CHARS = 60;

export default {
  params: () => ({}),
  expected: ({ label }: Json) => merged(label),
  found: ({ detectedLanguage }: Json) => merged(detectedLanguage),
  isPromised: ({ text }: { readonly text: string }) => text.length >= LEAST_CHARS,
};
