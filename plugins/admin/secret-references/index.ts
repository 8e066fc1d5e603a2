import { Type } from "@sinclair/typebox";
import { definePlugin, SecretReferences, Workspaces } from "#contract";
import { MAPPING } from "./mapped-by.ts";
import { secretReferences } from "./resource.ts";

/** References to secrets that are kept in managers of secrets. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "vault"],
  collections: [SecretReferences, ...MAPPING, Workspaces],
  setup: () => ({ provides: { resources: [secretReferences] } }),
});
