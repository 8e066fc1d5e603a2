import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** Sends each mail by the service of a vendor. What it refuses is not tried again; a throw is. */
export default definePlugin({
  kind: "mail",
  config: Type.Object(
    { from: Type.String({ default: "gateway@sprocket.example", minLength: 3, description: "Who mails are from." }) },
    { additionalProperties: false },
  ),
  needs: ["net:api.sprocket.example", "secret:SPROCKET_API_KEY"],
  setup: (host, { from }) => ({
    provides: {
      async send(mail, signal) {
        signal.throwIfAborted();
        const headers = {
          authorization: `Bearer ${await host.secrets.read("SPROCKET_API_KEY")}`,
          "content-type": "application/json",
        };
        const body = JSON.stringify({ from, ...mail });
        const { ok, status } = await host.fetch("https://api.sprocket.example/v1/mails", { method: "POST", headers, body, signal });
        if (status === 422) return { refused: "the service refused the mail" };
        if (!ok) throw new Error(`the service answered ${status}`);
        return undefined;
      },
    },
  }),
});
