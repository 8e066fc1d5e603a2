import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** Jailbreaks, personal data and harmful content; the service asks for no account. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:api.promptfoo.dev"],
  setup: (host) => ({ provides: { checks: checks.map((check) => check(host)) } }),
});
