import type { Feed, Logger } from "#contract";
import { listeners } from "../tables/listeners.ts";
import type { Connection } from "./database.ts";

const POLL_MS = 100;
const KEEP_MS = 60_000;
const FORGET_EVERY = 50;

interface Message {
  readonly id: number;
  readonly topic: string;
  readonly message: string;
  readonly origin: string;
}

/**
 * The feed of processes that share the file: a table of messages, looked at only when another connection has written
 * (`data_version`). Messages of this connection reach its own listeners at once.
 */
export const sqliteFeed = (connection: Connection, now: () => number, log: Logger): { readonly handle: Feed; close(): void } => {
  const { db } = connection;
  const origin = crypto.randomUUID();
  const heard = listeners((error) => log("error", "a feed listener failed", { error }));
  const writing = db.prepare<unknown, [string, string, string, number]>(
    `insert into "_feed" ("topic", "message", "origin", "created_at") values (?1, ?2, ?3, ?4)`,
  );
  // The newest message stays, so that the ids of what is left tell a reader whether it missed some.
  const forgetting = db.prepare<unknown, [number]>(
    `delete from "_feed" where "created_at" < ?1 and "id" < (select max("id") from "_feed")`,
  );
  const version = db.prepare<{ data_version: number }, []>("pragma data_version");
  const ends = db.prepare<{ first: number | null; last: number | null }, []>(
    `select (select min("id") from "_feed") as "first", (select max("id") from "_feed") as "last"`,
  );
  const newer = db.prepare<Message, [number]>(
    `select "id", "topic", "message", "origin" from "_feed" where "id" > ?1 order by "id" limit 1000`,
  );

  const reader = { timer: undefined as ReturnType<typeof setInterval> | undefined, seenVersion: -1, cursor: 0 };
  let published = 0;

  const start = (): void => {
    reader.cursor = ends.get()?.last ?? 0;
    reader.seenVersion = -1;
    reader.timer = setInterval(poll, POLL_MS);
    reader.timer.unref?.();
  };
  const stop = (): void => {
    clearInterval(reader.timer);
    reader.timer = undefined;
  };
  const poll = (): void => {
    try {
      look();
    } catch (error) {
      // The cursor stays where it is; the next look delivers what this one could not.
      log("warn", "the feed could not be read", { error });
    }
  };
  const look = (): void => {
    const current = version.get()?.data_version ?? 0;
    if (current === reader.seenVersion) return;
    catchUp();
    reader.seenVersion = current;
  };
  const catchUp = (): void => {
    if ((ends.get()?.first ?? 0) > reader.cursor + 1) heard.missed();
    for (let found = newer.all(reader.cursor); found.length > 0; found = newer.all(reader.cursor)) {
      for (const { id, topic, message, origin: from } of found) {
        reader.cursor = id;
        if (from !== origin) heard.deliver(topic, message);
      }
    }
  };

  return {
    handle: {
      publish: async (topic, message) => {
        connection.write("feed", () => {
          writing.run(topic, message, origin, now());
          published += 1;
          if (published % FORGET_EVERY === 0) forgetting.run(now() - KEEP_MS);
        });
        heard.deliver(topic, message);
      },
      subscribe: async (topic, onMessage) => {
        connection.run("feed", () => (reader.timer === undefined ? start() : ends.get()));
        const end = heard.add(topic, onMessage);
        return async () => {
          end();
          if (heard.topics === 0) stop();
        };
      },
      heartbeat: async () => connection.run("feed", look),
    },
    close: () => {
      stop();
      heard.clear();
    },
  };
};
