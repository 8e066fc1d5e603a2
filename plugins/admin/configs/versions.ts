import { Configs, versionsOf } from "#contract";

/** Every state a config was saved in. */
export const ConfigVersions = versionsOf(Configs, {
  name: "config_versions",
  by: "config_id",
  keeps: ["name", "status", "is_default", "updated_by", "config"],
});
