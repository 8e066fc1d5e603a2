import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import type { Claim, Counters, Reserved } from "#contract";
import type { Config } from "./config.ts";
import type { Link } from "./link.ts";

/**
 * Counters as Redis numbers that expire with their window. One script reserves them all or none. The braces put all
 * of them into one hash slot, so that the script works on a Cluster too.
 */
export function countersOver(link: Link, { keyPrefix, commandTimeoutMs }: Config): Counters {
  const keyOf = (key: string): string => `${keyPrefix}{counters}:${key}`;
  const run = <T>(command: (redis: Redis) => Promise<T>): Promise<T> => link.run("counters", commandTimeoutMs, command);
  const reserve = async (claims: readonly Claim[]): Promise<Reserved> => {
    if (claims.length === 0) return { granted: true, values: [] };
    const keys = claims.map((claim) => keyOf(claim.key));
    return outcomeOf(await run((redis) => evaluate(redis, keys, claims.flatMap(argumentsOf))));
  };
  return {
    reserve,
    async add(changes) {
      const outcome = await reserve(changes.map((change) => ({ ...change, limit: Number.POSITIVE_INFINITY })));
      return outcome.granted ? outcome.values : [];
    },
    async read(keys) {
      if (keys.length === 0) return [];
      const values = await run((redis) => redis.mget(keys.map(keyOf)));
      return values.map((value) => Number(value ?? 0));
    },
  };
}

/** Three arguments per key: by, limit, expiry. Answers {1, new values …} or {0, index of the first that did not fit, its value}. */
const SCRIPT = `
local held = {}
for i, key in ipairs(KEYS) do
  local by, limit = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1])
  local value = held[key] or tonumber(redis.call('GET', key) or '0')
  if value + by > limit or (by == 0 and value >= limit) then return {0, i - 1, string.format('%.17g', value)} end
  held[key] = value + by
end
local values = {1}
for i, key in ipairs(KEYS) do
  if tonumber(ARGV[3 * i - 2]) == 0 then
    values[i + 1] = redis.call('GET', key) or '0'
  else
    values[i + 1] = redis.call('INCRBYFLOAT', key, ARGV[3 * i - 2])
    redis.call('PEXPIREAT', key, ARGV[3 * i])
  end
end
return values`;
const SHA = createHash("sha1").update(SCRIPT).digest("hex");

/** What Redis reads as a number: no infinity among its arguments. */
const argumentsOf = ({ by, limit, expiresAt }: Claim): string[] =>
  [by, Math.min(limit, Number.MAX_VALUE), Math.min(Math.ceil(expiresAt), Number.MAX_SAFE_INTEGER)].map(String);

/** By hash; a server that was restarted does not know it and gets the text. */
const evaluate = (redis: Redis, keys: readonly string[], args: readonly string[]): Promise<unknown> =>
  redis.evalsha(SHA, keys.length, ...keys, ...args).catch((error: unknown) => {
    if (!String(error).includes("NOSCRIPT")) throw error;
    return redis.eval(SCRIPT, keys.length, ...keys, ...args);
  });

function outcomeOf(answer: unknown): Reserved {
  const [granted, ...rest] = (answer as unknown[]).map(Number); // the script answers numbers, some as text
  if (granted === 1) return { granted: true, values: rest };
  return { granted: false, refused: rest[0] ?? 0, value: rest[1] ?? 0 };
}
