import { definePlugin } from "#contract";
import { Config } from "./config.ts";
import { countersOver } from "./counters.ts";
import { feedOver } from "./feed.ts";
import { keyValueOver } from "./key-value.ts";
import { link } from "./link.ts";
import { problems } from "./problems.ts";

/** Counters, keys and the feed in Redis. The feed listens on a connection of its own. */
export default definePlugin({
  kind: "storage",
  config: Config,
  needs: [],
  problems,
  archive: { elsewhere: "Redis does it itself: BGSAVE and the append-only file keep what it holds" },
  setup(host, config) {
    // A write, so that a full server or a read-only replica counts as down too.
    const commands = link("commands", config, host.log, (redis) => redis.set(`${config.keyPrefix}heartbeat`, "1", "PX", 60_000));
    const listening = link("feed", config, host.log, (redis) => redis.ping());
    return {
      provides: {
        counters: countersOver(commands, config),
        kv: keyValueOver(commands, config),
        feed: feedOver(commands, listening, config, host.log),
      },
      ready: async () => {
        await Promise.all([commands.ready(), listening.ready()]);
      },
      close: async () => {
        commands.close();
        listening.close();
      },
    };
  },
});
