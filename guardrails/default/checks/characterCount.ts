import { countedCheck } from "../counted.ts";

/** UTF-16 code units, as JavaScript counts them. */
export default countedCheck({
  id: "default.characterCount",
  title: "Character count is within a range",
  of: "Characters",
  most: 9_999_999,
  count: (text) => text.length,
  charNs: 0,
  shown: ["characterCount", "minCharacters", "maxCharacters"],
  countsEmpty: false,
});
