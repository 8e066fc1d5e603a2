import { casedCheck } from "../cased.ts";

export default casedCheck("default.isAllLowerCase", "Text is all lower case", /[A-Z]/, "lower", ["llm", "mcp_tools"]);
