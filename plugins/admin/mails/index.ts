import { Type } from "@sinclair/typebox";
import { definePlugin, Mails } from "#contract";
import { mails } from "./resource.ts";

/** What the gateway wrote to people. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  collections: [Mails],
  setup: () => ({ provides: { resources: [mails] } }),
});
