import { Type } from "@sinclair/typebox";
import { definePlugin, defineStrategy, type Tried } from "#contract";

/**
 * Tries targets in order. Without `on_status_codes` it stops at the first 2xx; with it,
 * at the first status not listed, so a listed 2xx goes on and an unlisted error stops. An answer the gateway made
 * itself stops: the mistake is in the request or the config, and another target would hide it.
 */
const fallback = defineStrategy({
  settings: Type.Object({
    on_status_codes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
        maxItems: 100,
        description: "Statuses that go on to the next target; every one that is no 2xx when it is left out.",
      }),
    ),
  }),
  *try({ targets, settings }) {
    const content = contentWith(settings.on_status_codes);
    for (const target of targets) {
      const tried = yield target;
      if (tried.gatewayMade || content(tried)) return;
    }
  },
});

const contentWith = (listed: unknown): ((tried: Tried) => boolean) =>
  Array.isArray(listed) ? ({ status }) => !listed.includes(status) : ({ status }) => status >= 200 && status < 300;

export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { strategies: { fallback } } }),
});
