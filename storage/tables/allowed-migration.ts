import { Type } from "@sinclair/typebox";

/** A member of the configuration of every database: which migration its operator lets destroy data. */
export const AllowedMigration = Type.Optional(
  Type.String({
    pattern: "^\\d{4}_\\w+$",
    description: "Id of the one migration that may destroy data, as in 0001_tables. Make a backup first.",
  }),
);
