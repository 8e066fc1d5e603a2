import { countOf, countedCheck } from "../counted.ts";

/** Every full stop, exclamation and question mark ends a sentence. */
export default countedCheck({
  id: "default.sentenceCount",
  title: "Sentence count is within a range",
  of: "Sentences",
  most: 99_999,
  count: countOf(/[.!?]/),
  charNs: 50,
  shown: ["sentenceCount", "minCount", "maxCount"],
  countsEmpty: true,
});
