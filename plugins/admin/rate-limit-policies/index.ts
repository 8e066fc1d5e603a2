import { Type } from "@sinclair/typebox";
import { definePlugin, RateLimitPolicies, Workspaces } from "#contract";
import { rateLimitPolicies } from "./resource.ts";

/** Rate-limit policies of workspaces. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [RateLimitPolicies, Workspaces],
  setup: () => ({ provides: { resources: [rateLimitPolicies] } }),
});
