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
const TYPES = {
  string: { to: 25, from: [], serialize: (value: unknown) => String(value).replaceAll("\0", "\uFFFD"), parse: (raw: unknown) => raw },
};

/** Ends a pool at once; queries still on it are rejected. */
export const drop = (client: Sql): void => void client.end({ timeout: 0 }).catch(() => undefined); // it may be gone already
