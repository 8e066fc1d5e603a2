import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { type CachedReply, type CacheQuery, definePlugin } from "#contract";

/** Answers by the whole question: scope, operation and body. */
export default definePlugin({
  kind: "cache",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["kv"],
  setup: ({ kv }) => ({
    provides: {
      modes: ["sprocket"],
      async get(query) {
        const bytes = await kv.get(keyOf(query));
        return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as CachedReply); // written below, and nowhere else
      },
      set: (query, reply, ttlSec) => kv.set(keyOf(query), new TextEncoder().encode(JSON.stringify(reply)), ttlSec * 1000),
    },
  }),
});

function keyOf({ scope, call: { operation, body } }: CacheQuery): string {
  const key = createHash("sha256").update(JSON.stringify([scope, operation, body.kind]));
  if (body.kind === "json") key.update(body.text ?? JSON.stringify(body.value));
  return `cache:sprocket:${key.digest("base64url")}`;
}
