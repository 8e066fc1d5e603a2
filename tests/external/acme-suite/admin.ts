import { Type } from "@sinclair/typebox";
import { definePlugin, defineRoute } from "#contract";

/** Asks Acme how it is, at the address that the operator gave. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({ url: Type.String({ description: "Where Acme answers." }) }, { additionalProperties: false }),
  needs: ["net:{config.url}"],
  setup: (host, { url }) => ({
    provides: {
      routes: [
        defineRoute({
          plane: "control",
          method: "GET",
          path: "/acme/status",
          tag: "Acme",
          summary: "How Acme is",
          scope: "acme_status.read",
          reply: Type.Object({ status: Type.String() }),
          handle: async () => ({ status: await (await host.fetch(`${url}/status`)).text() }),
        }),
      ],
    },
  }),
});
