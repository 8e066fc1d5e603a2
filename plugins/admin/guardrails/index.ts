import { Type } from "@sinclair/typebox";
import { definePlugin, Guardrails, Organisations, Workspaces } from "#contract";
import { guardrails, organisationGuardrails } from "./resource.ts";

/** Guardrails, of workspaces and of the organisation. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog"],
  collections: [Guardrails, Workspaces, Organisations],
  setup: () => ({ provides: { resources: [guardrails, organisationGuardrails] } }),
});
