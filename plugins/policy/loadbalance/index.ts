import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { loadbalance } from "./loadbalance.ts";

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { loadbalance: loadbalance(Math.random) } } }),
});
