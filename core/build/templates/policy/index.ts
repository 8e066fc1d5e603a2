import { Type } from "@sinclair/typebox";
import { definePlugin, type Strategy } from "#contract";

/** Tries targets from the last to the first until one answers with 2xx. A mistake the gateway found itself ends it. */
const lastFirst: Strategy = function* ({ targets }) {
  for (const target of targets.toReversed()) {
    const { status, gatewayMade } = yield target;
    if (gatewayMade || (status >= 200 && status < 300)) return;
  }
};

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { "sprocket": lastFirst } } }),
});
