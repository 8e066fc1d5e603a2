import { Type } from "@sinclair/typebox";
import { definePlugin, OneOf, RateLimitPolicies } from "#contract";
import { NAME_COLLECTIONS, nameReader } from "./names.ts";
import { limiterFinder, ofKeyAndWorkspace } from "./limiters.ts";
import { policyReader } from "./policies.ts";
import { ofProviders, PROVIDER_COLLECTIONS } from "./provider-limits.ts";
import { rateLimit } from "./rate-limit.ts";

export default definePlugin({
  kind: "policy",
  config: Type.Object(
    {
      onOutage: OneOf(["deny", "allow"], {
        default: "deny",
        description: "When the counters cannot be reached: `deny` answers 503, `allow` lets requests pass unlimited.",
      }),
      limits: Type.Boolean({
        default: true,
        description:
          "OFF ignores the rate limits of keys, workspaces, providers and grants of integrations: they can be written and are kept, and hold again once this is ON. Policies hold all the same.",
      }),
      policies: Type.Boolean({ default: true, description: "OFF ignores rate-limit policies; rate limits of keys hold all the same." }),
    },
    { additionalProperties: false },
  ),
  needs: ["records", "counters"],
  collections: [RateLimitPolicies, ...new Set([...NAME_COLLECTIONS, ...PROVIDER_COLLECTIONS])],
  setup(host, config) {
    if (!config.limits)
      host.log("warn", "rate limits off", { why: "rate limits of keys, workspaces, providers and grants are kept, but not enforced" });
    const policies = config.policies ? policyReader(host) : null;
    const limiters = limiterFinder(
      policies ?? (() => []),
      nameReader(host.records),
      config.limits ? ofKeyAndWorkspace(host.records) : () => [],
      config.limits ? ofProviders(host.records) : () => [],
    );
    return {
      provides: rateLimit({ counters: host.counters, limiters, now: host.now, log: host.log, onOutage: config.onOutage }),
    };
  },
});
