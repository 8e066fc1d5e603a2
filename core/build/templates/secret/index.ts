import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** Secrets as files of one folder, such as an orchestrator mounts them. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    { dir: Type.String({ default: "/run/secrets", minLength: 1, description: "Folder of the files." }) },
    { additionalProperties: false },
  ),
  needs: [],
  setup: (_, { dir }) => ({
    provides: {
      scheme: "sprocket",
      async read(name) {
        if (!/^[A-Za-z0-9_-]{1,128}$/.test(name)) return undefined; // no path leads out of the folder
        return readFile(join(dir, name), "utf8").catch(absent);
      },
    },
  }),
});

/** A file that is not there is no secret; one that cannot be read is a fault. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
