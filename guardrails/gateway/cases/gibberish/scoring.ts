import type { Json } from "#contract";

/** Found or not, by the language that a text is in or would be. */
export default {
  params: () => ({}),
  expected: ({ label, language }: Json) => (label === "clean" ? [] : [String(language)]),
  found: ({ label }: Json, { language }: Json) => (label === "clean" ? [] : [String(language)]),
};
