import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { resource } from "./resource.ts";
import { Records } from "./schema.ts";

/** The control-plane resource `/v2/sprocket`. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [Records],
  setup: () => ({ provides: { resources: [resource] } }),
});
