import { type Static, Type } from "@sinclair/typebox";

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
    allowDestructiveMigration: Type.Optional(
      Type.String({ pattern: "^[\\w.-]+$", description: "Id of a migration that deletes data and may run. Make a backup first." }),
    ),
  },
  { additionalProperties: false },
);
export type SqliteConfig = Static<typeof SqliteConfig>;
