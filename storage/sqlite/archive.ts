import type { Archive } from "#contract";
import { backUp } from "./backup.ts";
import type { SqliteConfig } from "./config.ts";
import { restore } from "./restore.ts";

/** The same names as in the data folder, so that a copy can be looked at with any SQLite. */
export const archive: Archive<SqliteConfig> = { backUp, restore };
