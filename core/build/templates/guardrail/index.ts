import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";

/** The checks of Sprocket. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:api.sprocket.example", "secret:SPROCKET_API_KEY"],
  setup: (host) => ({ provides: { checks: checks.map((check) => check(host)) } }),
});
