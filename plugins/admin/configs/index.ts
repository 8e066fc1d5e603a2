import { Type } from "@sinclair/typebox";
import { ApiKeys, Configs, definePlugin, Guardrails, Workspaces } from "#contract";
import { configs } from "./resource.ts";
import { ConfigVersions } from "./versions.ts";

/** Saved routing configs and their versions. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "vault"],
  collections: [ApiKeys, Configs, ConfigVersions, Guardrails, Workspaces],
  setup: () => ({ provides: { resources: [configs] } }),
});
