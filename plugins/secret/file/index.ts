import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { reader } from "./read.ts";

/** There is nothing to sign in with: the operator has put the files there. */
const AUTH = [Type.Object({}, { additionalProperties: false })];

/** Secrets that tenants keep in files of a directory that the operator names. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      directory: Type.String({
        default: "",
        pattern: "^[^\\x00-\\x1f\\x7f]*$",
        maxLength: 4_096,
        description:
          "Directory whose files secret references may name, and no others. `{organisation}` in it stands for the organisation's id: without it, all organisations of the deployment may read the same files. Empty: no file is read.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: [],
  setup: (_, { directory }) => ({ provides: { manager: "file", auth: AUTH, read: reader(directory) } }),
});
