import { Type } from "@sinclair/typebox";
import { definePlugin, defineStrategy } from "#contract";

/** Tries targets from the last to the first until one answers with 2xx. A mistake the gateway found itself ends it. */
const lastFirst = defineStrategy({
  settings: Type.Object({
    at_most: Type.Optional(Type.Integer({ minimum: 1, description: "How many targets are tried; all when it is left out." })),
  }),
  *try({ targets, settings }) {
    for (const target of targets.toReversed().slice(0, settings.at_most)) {
      const { status, gatewayMade } = yield target;
      if (gatewayMade || (status >= 200 && status < 300)) return;
    }
  },
});

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { "sprocket": lastFirst } } }),
});
