import { PluginCredentials, resourceOf } from "#contract";
import { credentialMappings, storedCredentials } from "./credentials.ts";

/** Accounts with the vendors of guardrail checks, of the organisation or of one workspace; one of each plugin. */
export const plugins = resourceOf(PluginCredentials, {
  noun: "plugin record",
  plane: "control",
  path: "/plugins",
  tag: "Plugins",
  param: "pluginId",
  scopes: { families: ["plugins"] },
  object: "plugin",
  store: { credentials: storedCredentials, secret_mappings: credentialMappings },
  list: { filters: ["plugin_id"] },
  create: {
    description:
      "With workspace_id they are the workspace's, and go before those of the organisation. Which members there are is the plugin's to say; an error names them. Those that secret_mappings name may be left out.",
  },
});
