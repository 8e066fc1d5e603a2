import { Type } from "@sinclair/typebox";
import { collectionOf, field } from "#contract";

/** One table: each field is written once, and says in which bodies and answers it is. `npm run gen` writes its migrations. */
export const Records = collectionOf({
  name: "sprocket_records",
  tenancy: "workspace",
  fields: {
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true }),
    note: field(Type.String({ maxLength: 2000, description: "What it is for." }), { create: "optional", update: true, view: true }),
  },
  unique: [["workspace_id", "name"]],
});
