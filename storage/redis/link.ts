import { Redis } from "ioredis";
import { GatewayError, type Logger, type StorageHandle, messageOf } from "#contract";
import type { Config } from "./config.ts";
import { answerIn } from "./answer-in.ts";

/** One connection to Redis that says at once when the server is away, and finds it again by itself. */
export interface Link {
  readonly redis: Redis;
  /** Runs a command: its answer in time, or STORAGE_UNAVAILABLE. While the server is known to be away it is not even asked. */
  run<T>(handle: StorageHandle, timeoutMs: number, command: (redis: Redis) => Promise<T>): Promise<T>;
  ready(): Promise<void>;
  close(): void;
}

/** So many commands in a row without an answer, and the server counts as away until a heartbeat comes back. */
const LOST_IN_A_ROW = 3;
const HEARTBEAT_MS = { up: 2000, down: 250 };

/** `beat` is the command that shows the server can do its work; it is sent every two seconds, more often while the server is away. */
export function link(name: string, config: Config, log: Logger, beat: (redis: Redis) => Promise<unknown>): Link {
  const redis = new Redis(config.url, optionsOf(config));
  let away: Error | undefined = new Error("not connected yet");
  let lost = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const succeeded = (): void => {
    lost = 0;
    if (away !== undefined) log("info", "redis.reachable", { connection: name });
    away = undefined;
  };
  const failed = (why: Error): void => {
    if (away === undefined) log("warn", "redis.unreachable", { connection: name, why: why.message });
    away = why;
  };
  const heartbeat = async (): Promise<void> => {
    await answerIn(config.connectTimeoutMs, beat(redis)).then(succeeded, failed);
    clearTimeout(timer); // a new connection is asked at once, beside the beat that was due
    if (redis.status === "end") return; // closed
    timer = setTimeout(heartbeat, away === undefined ? HEARTBEAT_MS.up : HEARTBEAT_MS.down);
    timer.unref?.();
  };
  redis.on("error", failed);
  redis.on("close", () => failed(away ?? new Error("the connection was closed")));
  redis.on("ready", heartbeat);

  return {
    redis,
    async run(handle, timeoutMs, command) {
      if (away !== undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle }, { cause: away });
      try {
        const answer = await answerIn(timeoutMs, command(redis));
        lost = 0;
        return answer;
      } catch (error) {
        if (++lost >= LOST_IN_A_ROW) failed(asError(error));
        throw new GatewayError("STORAGE_UNAVAILABLE", { handle }, { cause: error });
      }
    },
    async ready() {
      // `connect` rejects with "Connection is closed"; the reason came as an event before it
      await answerIn(config.connectTimeoutMs + 100, redis.connect()).catch((error: unknown) => {
        throw new Error(`Redis at ${addressOf(config.url)} cannot be used: ${(away ?? asError(error)).message}`);
      });
      await heartbeat();
      if (away !== undefined) throw new Error(`Redis at ${addressOf(config.url)} cannot be used: ${away.message}`);
    },
    close() {
      clearTimeout(timer);
      away = new Error("closed");
      redis.disconnect();
    },
  };
}

const optionsOf = (config: Config) => ({
  lazyConnect: true,
  connectTimeout: config.connectTimeoutMs,
  // A connection that owes an answer for so long is dead, whatever TCP believes; a new one is made.
  socketTimeout: config.connectTimeoutMs,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 1000),
  // After a failover the old primary answers READONLY: look the name up again.
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  // Nothing waits for a server that is away: requests are told at once.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  autoResubscribe: false,
});

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(messageOf(thrown)));

/** Without user and password. */
const addressOf = (url: string): string => new URL(url).host;
