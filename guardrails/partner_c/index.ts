import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** Checks of partner_c: harm scanners behind one HTTP call. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: ["net:api.pillarseclabs.com", "secret:PARTNER_C_API_KEY"],
  setup: (host) => ({ provides: { checks: checks.map((check) => check(host)) } }),
});
