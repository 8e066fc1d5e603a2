import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** Checks that detect in this process, with no service behind them; content may be moderated by a model of this gateway instead. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: ["dispatch"],
  setup: (host) => ({ provides: { checks: checks.map((check) => (typeof check === "function" ? check(host) : check)) } }),
});
