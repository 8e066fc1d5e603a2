import { Type } from "@sinclair/typebox";
import { definePlugin, isoTime, type Outcome } from "#contract";

/** Sends each batch as JSON lines. A throw loses the batch, and is counted. */
export default definePlugin({
  kind: "exporter",
  config: Type.Object(
    {
      url: Type.String({
        format: "uri",
        default: "https://collector.sprocket.example/v1/requests",
        description: "Where batches are sent; its host is among the manifest's needs.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: ["net:collector.sprocket.example", "secret:SPROCKET_API_KEY"],
  setup: (host, { url }) => ({
    provides: {
      async export(batch) {
        if (batch.length === 0) return;
        const headers = {
          authorization: `Bearer ${await host.secrets.read("SPROCKET_API_KEY")}`,
          "content-type": "application/x-ndjson",
        };
        const { ok, status } = await host.fetch(url, { method: "POST", headers, body: batch.map(line).join("") });
        if (!ok) throw new Error(`the collector answered ${status}`);
      },
    },
  }),
});

/** Member by member: what is not named here never leaves. */
const line = ({ call, status, provider, model, timing }: Outcome): string =>
  `${JSON.stringify({ id: call.id, at: isoTime(call.startedAt), operation: call.operation, status, provider, model, ms: Math.round(timing.totalMs) })}\n`;
