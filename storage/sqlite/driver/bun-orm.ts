import type { Database as BunDatabase } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { SqlEngine } from "../../tables/records.ts";
import type { Database } from "../driver.ts";

/** The query builders used are the same in both dialects; only the types of drizzle tell them apart. */
export const orm = (db: Database): SqlEngine["db"] => drizzle(db as BunDatabase) as unknown as SqlEngine["db"]; // the driver opened it
