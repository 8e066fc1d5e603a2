import { Type } from "@sinclair/typebox";
import { ApiKeys, Configs, definePlugin, Guardrails, Organisations, SecretReferences, Workspaces } from "#contract";
import { readDefaults, writeDefaults } from "./defaults.ts";
import { evaluate } from "./evaluate.ts";
import { exclusionRoutes } from "./exclusions.ts";
import { guardrails, organisationGuardrails } from "./resource.ts";

/** Guardrails, of workspaces and of the organisation. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "guard"],
  collections: [Guardrails, Workspaces, Organisations, Configs, ApiKeys, SecretReferences],
  setup: ({ guard, records }) => ({
    provides: {
      resources: [guardrails, organisationGuardrails],
      routes: [evaluate(guard), readDefaults(records), writeDefaults(records), ...exclusionRoutes(records)],
    },
  }),
});
