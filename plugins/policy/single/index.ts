import { Type } from "@sinclair/typebox";
import { definePlugin, defineStrategy } from "#contract";

/** The first target answers, whatever it says. */
const single = defineStrategy({
  settings: Type.Object({}),
  *try({ targets }) {
    const [first] = targets;
    if (first) yield first;
  },
});

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { single } } }),
});
