import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** A detection policy, executed on prompts and answers. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:*", "credentials", "secret:ZSCALER_API_KEY"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
