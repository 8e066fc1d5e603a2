import type { SqlEngine } from "../tables/records.ts";
import { type Database, isBun } from "./driver.ts";

type Orm = (db: Database) => SqlEngine["db"];

/** Drizzle over a database of this runtime's driver. Only the one that is used is loaded. */
export const orm: Orm = isBun ? (await import("./driver/bun-orm.ts")).orm : (await import("./driver/node-orm.ts")).orm;
