import { countedCheck } from "../counted.ts";

/** Every full stop, exclamation and question mark ends a sentence. */
export default countedCheck({
  id: "default.sentenceCount",
  title: "Sentence count is within a range",
  of: "Sentences",
  most: 99_999,
  count: (text) => text.split(/[.!?]/).length - 1,
  shown: ["sentenceCount", "minCount", "maxCount"],
  countsEmpty: true,
});
