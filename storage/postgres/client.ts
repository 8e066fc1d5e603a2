import postgres, { type Sql } from "postgres";
import type { Config } from "./config.ts";
import { sslOf, urlWithoutSslmode } from "./tls.ts";

export interface ClientOptions {
  readonly max: number;
  /** Ends a statement on the server; 0 for never. */
  readonly statementTimeoutMs: number;
  readonly onclose?: () => void;
  readonly onnotify?: (channel: string, payload: string) => void;
}

/** A pool of connections; nothing is connected before the first query. */
export function clientOf(config: Config, { max, statementTimeoutMs, ...events }: ClientOptions): Sql {
  const options: postgres.Options<typeof TYPES> = {
    max,
    types: TYPES,
    // The driver would ask for the types of arrays on each new connection, and nobody could catch that question's failure.
    fetch_types: false,
    ssl: sslOf(config),
    prepare: config.prepare,
    connect_timeout: config.connectTimeoutMs / 1000,
    // The time to wait after a failure is ours to choose (link.ts); the driver's own grows to 20 seconds.
    backoff: () => 0.05,
    keep_alive: 10,
    onnotice: () => undefined,
    connection: {
      application_name: "ai-gateway",
      statement_timeout: statementTimeoutMs,
      // Statements are written for it, whatever the database's default is.
      default_transaction_isolation: "read committed",
    },
    ...events, // `onnotify` is read by the driver but missing from its types
  };
  return postgres(urlWithoutSslmode(config.url), options);
}

/** PostgreSQL's text has no NUL. One that a client sent must neither cost the batch it travels in nor fail a look-up. */
const storable = (value: unknown): string => String(value).replaceAll("\0", "\uFFFD");

/** A list as PostgreSQL reads one. */
const listText = (values: unknown): string => `{${(values as readonly unknown[]).map(itemText).join(",")}}`; // its parameters are the arrays we pass
const itemText = (value: unknown): string => {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `"${storable(value).replace(/["\\]/g, "\\$&")}"`;
};

/** A list of numbers as PostgreSQL writes one. */
const numbersIn = (text: string): readonly (number | null)[] =>
  text === "{}"
    ? []
    : text
        .slice(1, -1)
        .split(",")
        .map((item) => (item === "NULL" ? null : Number(item)));

const sent = (to: number, serialize: (value: unknown) => string) => ({ to, from: [], serialize, parse: (raw: unknown) => raw });
/** By the server's numbers for types: text, and the lists that our statements take apart. */
const TYPES = {
  text: sent(25, storable),
  texts: sent(1009, listText),
  integers: sent(1007, listText),
  bigints: sent(1016, listText),
  doubles: { ...sent(1022, listText), from: [1022], parse: numbersIn },
};

/** Ends a pool at once; queries still on it are rejected. */
export const drop = (client: Sql): void => void client.end({ timeout: 0 }).catch(() => undefined); // it may be gone already
