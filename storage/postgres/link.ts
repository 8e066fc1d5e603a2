import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { GatewayError, type Logger, type StorageHandle } from "#contract";
import { clientOf, drop } from "./client.ts";
import type { Config } from "./config.ts";
import { answered, bare, faultOf } from "./fault.ts";
import { type Pulse, type PulseEvents, pulse } from "./pulse.ts";
import { hostOf } from "./tls.ts";
import { answerIn } from "./answer-in.ts";

/** The connections of one process. Made anew after an outage, so that nothing waits on a dead one. */
export interface Pools {
  readonly main: Sql;
  /** Over `main`. */
  readonly db: PostgresJsDatabase;
  /** For writing and reading logs, so that a long query holds up no request. */
  readonly logs: Sql;
}

/** The database as the handles use it: an answer in time, or STORAGE_UNAVAILABLE; while it is known to be away it is not even asked. */
export interface Link {
  run<T>(handle: StorageHandle, work: (pools: Pools) => Promise<T>): Promise<T>;
  /** Resolves when the connection that hears the feed has answered. */
  listening(): Promise<void>;
  ready(): Promise<void>;
  close(): void;
}

/** So many statements in a row without an answer, and the server counts as away until it answers again. */
const LOST_IN_A_ROW = 3;
/** The server ends a statement at its timeout and says so; we wait a little longer than that. */
const GRACE_MS = 250;

export function link(config: Config, log: Logger, feed: Pick<PulseEvents, "listening" | "heard">): Link {
  let pools = openPools(config);
  let away: Error | undefined = new Error("not connected yet");
  let lost = 0;
  const up = (): void => {
    lost = 0;
    if (away !== undefined) log("info", "postgres.reachable", { host: hostOf(config.url) });
    away = undefined;
  };
  const gone = (why: Error): void => {
    if (away === undefined) {
      log("warn", "postgres.unreachable", { host: hostOf(config.url), why: why.message });
      dropPools(pools);
      pools = openPools(config);
    }
    away = why;
  };
  const heart: Pulse = pulse(config, { ...feed, up, away: gone });
  const failed = (handle: StorageHandle, error: unknown): unknown => {
    const cause = bare(GatewayError.is(error) ? error.cause : error);
    if (faultOf(cause) !== "unavailable") return bare(error);
    if (!answered(cause) && ++lost >= LOST_IN_A_ROW) {
      gone(cause instanceof Error ? cause : new Error(String(cause)));
      void heart.beat();
    }
    return GatewayError.is(error) ? error : new GatewayError("STORAGE_UNAVAILABLE", { handle }, { cause });
  };

  return {
    async run(handle, work) {
      if (away !== undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle }, { cause: away });
      try {
        const answer = await answerIn(timeoutOf(handle, config), work(pools));
        lost = 0;
        return answer;
      } catch (error) {
        throw failed(handle, error);
      }
    },
    async listening() {
      if (away === undefined) await heart.beatAfresh();
      if (away !== undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "feed" }, { cause: away });
    },
    async ready() {
      await heart.beat();
      if (away !== undefined) throw new Error(`PostgreSQL at ${hostOf(config.url)} cannot be used: ${away.message}`);
    },
    close() {
      heart.stop();
      away = new Error("closed");
      dropPools(pools);
    },
  };
}

const timeoutOf = (handle: StorageHandle, config: Config): number =>
  (handle === "logs" ? config.logsTimeoutMs : config.statementTimeoutMs) + GRACE_MS;

function openPools(config: Config): Pools {
  const main = clientOf(config, { max: config.poolSize, statementTimeoutMs: config.statementTimeoutMs });
  const logs = clientOf(config, { max: config.logsPoolSize, statementTimeoutMs: config.logsTimeoutMs });
  return { main, logs, db: drizzle(main) };
}

function dropPools({ main, logs }: Pools): void {
  drop(main);
  drop(logs);
}
