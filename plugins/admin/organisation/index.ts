import { Type } from "@sinclair/typebox";
import { definePlugin, Organisations } from "#contract";
import { read, write } from "./routes.ts";

/** The organisation that a key belongs to. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog"],
  collections: [Organisations],
  setup: ({ records, catalog }) => ({ provides: { routes: [read(records), write(records, catalog)] } }),
});
