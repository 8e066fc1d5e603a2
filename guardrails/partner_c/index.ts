import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** Checks of partner_c: harm scanners behind one HTTP call. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: ["net:api.pillarseclabs.com", "credentials", "secret:PARTNER_C_API_KEY"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
