import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** Checks that run at a vendor's, in whatever language. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:*"],
  setup: (host) => ({ provides: { checks: checks.map((check) => check(host)) } }),
});
