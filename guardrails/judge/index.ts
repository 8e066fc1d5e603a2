import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** A model judges texts by what an operator says of them. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["dispatch", "counters"],
  setup: (host) => ({ provides: { checks: checks.map((check) => check(host)) } }),
});
