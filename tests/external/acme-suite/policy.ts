import { Type } from "@sinclair/typebox";
import { defineErrors, definePlugin, GatewayError } from "#contract";

const errors = defineErrors({
  ACME_CLOSED: {
    status: 403,
    type: "permission_error",
    ab: "AB03",
    message: "Acme answers on working days only; today is {day}. Ask again on Monday, or take acme_closed out of the config.",
    retryAfterSec: 60,
  },
});

/** Obeys `acme_closed` of a config. */
export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      obeys: { config: { acme_closed: Type.Boolean({ description: "Acme is closed." }) } },
      admit(_call, _caller, { root }) {
        if (root.members["acme_closed"] === true) throw new GatewayError(errors.ACME_CLOSED, { day: "Sunday" }, { param: "acme_closed" });
      },
    },
  }),
});
