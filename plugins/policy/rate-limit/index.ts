import { Type } from "@sinclair/typebox";
import { definePlugin, OneOf, RateLimitPolicies } from "#contract";
import { NAME_COLLECTIONS, nameReader } from "./names.ts";
import { limiterFinder } from "./limiter.ts";
import { policyReader } from "./policies.ts";
import { rateLimit } from "./rate-limit.ts";

/** As the flags of the deployment are spelt. */
const OFF = /^(off|false|0|no)$/i;

export default definePlugin({
  kind: "policy",
  config: Type.Object(
    {
      onOutage: OneOf(["deny", "allow"], {
        default: "deny",
        description: "When the counters cannot be reached: `deny` answers 503, `allow` lets requests pass unlimited.",
      }),
      policies: Type.String({ default: "ON", description: "OFF ignores rate-limit policies; rate limits of keys hold all the same." }),
    },
    { additionalProperties: false },
  ),
  needs: ["records", "counters", "feed"],
  collections: [RateLimitPolicies, ...NAME_COLLECTIONS],
  setup(host, config) {
    const policies = OFF.test(config.policies) ? null : policyReader(host);
    const limiters = limiterFinder(policies?.of ?? (() => []), nameReader(host.records));
    return {
      provides: rateLimit({ counters: host.counters, limiters, now: host.now, log: host.log, onOutage: config.onOutage }),
      ...(policies && { ready: policies.listen, close: policies.close }),
    };
  },
});
