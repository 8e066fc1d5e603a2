import { countOf, countedCheck } from "../counted.ts";

/** Whitespace-separated words. */
export default countedCheck({
  id: "default.wordCount",
  title: "Word count is within a range",
  of: "Words",
  most: 99_999,
  count: countOf(/\S+/),
  charNs: 50,
  shown: ["wordCount", "minWords", "maxWords"],
  countsEmpty: false,
});
