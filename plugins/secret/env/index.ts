import { definePlugin } from "#contract";
import { Type } from "@sinclair/typebox";

/** Secrets from environment variables: the one plugin that reads the environment itself. */
export default definePlugin({
  kind: "secret",
  config: Type.Object({}),
  needs: [],
  setup: () => ({
    provides: {
      scheme: "env",
      read: async (name) => (Object.hasOwn(process.env, name) && process.env[name]) || undefined, // an empty variable is no secret
    },
  }),
});
