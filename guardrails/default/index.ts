import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { withAliases } from "./aliases.ts";
import { checks } from "./checks/index.ts";

/** The built-in checks. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: ["net:*"],
  setup: (host) => ({ provides: { checks: withAliases(checks.map((check) => (typeof check === "function" ? check(host) : check))) } }),
});
