import { definePlugin, messageOf } from "#contract";
import { listeners } from "../tables/listeners.ts";
import { blobsOver } from "./blobs.ts";
import { Config } from "./config.ts";
import { countersOver } from "./counters.ts";
import { feedOver, reader } from "./feed.ts";
import { keyValueOver } from "./key-value.ts";
import { link as linkTo } from "./link.ts";
import { logsOver } from "./logs.ts";
import { problems } from "./problems.ts";
import { recordsIn } from "./records.ts";
import { sweepExpired } from "./sweep.ts";

/** Everything that a gateway keeps, in one PostgreSQL database. */
export default definePlugin({
  kind: "storage",
  config: Config,
  needs: [],
  problems,
  archive: {
    elsewhere: "PostgreSQL's own tools do it: pg_dump makes a consistent copy of a running database, and pg_restore puts it back",
  },
  setup(host, config) {
    const heard = listeners((error) => host.log("error", "postgres.feed.listener", { why: messageOf(error) }));
    const link = linkTo(config, host.log, { listening: heard.missed, heard: reader(heard.deliver) });
    const stopSweeping = sweepExpired(link, host.now, host.log);
    return {
      provides: {
        records: recordsIn(link, config, { now: host.now, keepsTables: host.keepsTables ?? false }),
        logs: logsOver(link),
        blobs: blobsOver(link, host.now),
        counters: countersOver(link, host.now),
        kv: keyValueOver(link, host.now),
        feed: feedOver(link, heard),
      },
      ready: () => link.ready(),
      close: async () => {
        stopSweeping();
        link.close();
      },
    };
  },
});
