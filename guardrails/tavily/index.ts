import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** Results of a web search, given to the model with the question. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:api.tavily.com", "credentials", "secret:TAVILY_API_KEY"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
