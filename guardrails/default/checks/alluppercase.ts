import { casedCheck } from "../cased.ts";

export default casedCheck("default.alluppercase", "Text is all upper case", /[a-z]/, "upper", ["llm"]);
