import { type Static, Type } from "@sinclair/typebox";
import { AllowedMigration } from "../tables/allowed-migration.ts";

export const SqliteConfig = Type.Object(
  {
    dir: Type.String({
      default: "./data",
      minLength: 1,
      description: "Folder of the database files and blobs; made when missing. Not on a network disk: SQLite needs working file locks.",
    }),
    busyTimeoutMs: Type.Integer({
      default: 1000,
      minimum: 0,
      maximum: 60_000,
      description: "How long a write waits for another process's write before it is given up (503).",
    }),
    allowDestructiveMigration: AllowedMigration,
  },
  { additionalProperties: false },
);
export type SqliteConfig = Static<typeof SqliteConfig>;
