import { Type } from "@sinclair/typebox";
import { definePlugin, type Strategy } from "#contract";

/** The first target answers, whatever it says. */
const single: Strategy = function* ({ targets }) {
  const [first] = targets;
  if (first) yield first;
};

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { single } } }),
});
