import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import type { Fault } from "../tables/records.ts";
import { NoAnswer } from "./answer-in.ts";

/** What an error of the driver means. The one place that knows its error codes. */
export function faultOf(thrown: unknown): Fault {
  const error = bare(thrown);
  if (error instanceof NoAnswer) return "unavailable";
  if (error instanceof postgres.PostgresError) return BY_STATE.find(([states]) => states.test(error.code))?.[1] ?? "other";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return CONNECTION.test(code) ? "unavailable" : "other";
}

/** The driver's error without drizzle's, whose message holds the parameters of the query. */
export const bare = (error: unknown): unknown => (error instanceof DrizzleQueryError ? (error.cause ?? error) : error);

/** Did the server itself answer? Then it is there, whatever it said. */
export function answered(thrown: unknown): boolean {
  const error = bare(thrown);
  return error instanceof postgres.PostgresError && !AWAY.test(error.code);
}

/** SQLSTATE: connection exceptions, shutting down, starting up. */
const AWAY = /^(08|57P0[1-5])/;

const BY_STATE: readonly (readonly [RegExp, Fault])[] = [
  [/^23505$/, "conflict"],
  [AWAY, "unavailable"],
  // Refused log-in, no such database, no room, cancelled by a timeout, disk trouble, a standby, a deadlock: not the caller's fault.
  [/^(28|3D|53|57014|58|25006|40P01|40001|55P03)/, "unavailable"],
];

/** The driver's own codes, the system's (ECONNREFUSED, ENOTFOUND …) and those of TLS. */
const CONNECTION = /^(CONNECT_|CONNECTION_|E[A-Z_]+$|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
