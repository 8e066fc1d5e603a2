import { Type } from "@sinclair/typebox";
import { collectionOf, field } from "#contract";

/** One table: each field is written once, and says in which bodies and answers it is. Its table follows: `npm run gen` writes the migrations of the tree, and a start makes what a plugin from outside brings. */
export const Records = collectionOf({
  name: "sprocket_records",
  tenancy: "workspace",
  fields: {
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true }),
    note: field(Type.String({ maxLength: 2000, description: "What it is for." }), { create: "optional", update: true, view: true }),
  },
  unique: [["workspace_id", "name"]],
});
