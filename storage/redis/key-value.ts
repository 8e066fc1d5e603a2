import type { KeyValue } from "#contract";
import type { Config } from "./config.ts";
import type { Link } from "./link.ts";

/** Keys with bytes, each with a time to live of its own. */
export function keyValueOver(link: Link, { keyPrefix, commandTimeoutMs }: Config): KeyValue {
  const keyOf = (key: string): string => `${keyPrefix}kv:${key}`;
  const run: <T>(command: Parameters<typeof link.run<T>>[2]) => Promise<T> = (command) => link.run("kv", commandTimeoutMs, command);
  return {
    async get(key) {
      const value = await run((redis) => redis.getBuffer(keyOf(key)));
      return value === null ? undefined : new Uint8Array(value);
    },
    async set(key, value, ttlMs) {
      const bytes = Buffer.from(value);
      const name = keyOf(key);
      await run((redis) => (ttlMs === undefined ? redis.set(name, bytes) : redis.set(name, bytes, "PX", whole(ttlMs))));
    },
    async add(key, value, ttlMs) {
      const bytes = Buffer.from(value);
      const name = keyOf(key);
      const set = await run((redis) =>
        ttlMs === undefined ? redis.set(name, bytes, "NX") : redis.set(name, bytes, "PX", whole(ttlMs), "NX"),
      );
      return set === "OK";
    },
    async renew(key, value, ttlMs) {
      const renewed = await run((redis) => redis.eval(RENEW, 1, keyOf(key), Buffer.from(value), whole(ttlMs)));
      return renewed === 1;
    },
    async delete(key) {
      await run((redis) => redis.del(keyOf(key)));
    },
  };
}

const RENEW = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`;

/** Redis takes whole milliseconds from 1. */
const whole = (ms: number): number => Math.max(1, Math.ceil(ms));
