import { Type } from "@sinclair/typebox";
import { defineCollection, Nullable, Stamps, Uuid } from "#contract";

export const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
export const note = Type.String({ maxLength: 2000, description: "What it is for." });

/** One table, one member a column. `npm run gen` writes its migrations. */
export const Records = defineCollection({
  name: "sprocket_records",
  schema: Type.Object({
    ...Stamps,
    organisation_id: Uuid("Organisation."),
    workspace_id: Uuid("Workspace."),
    name,
    note: Nullable(note),
  }),
  unique: [["workspace_id", "name"]],
});
