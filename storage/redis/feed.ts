import { type Feed, type Logger, messageOf } from "#contract";
import { HEARTBEAT_TOPIC, listeners } from "../tables/listeners.ts";
import type { Config } from "./config.ts";
import type { Link } from "./link.ts";
import { answerIn } from "./answer-in.ts";

/** All topics on one channel, `[topic, message]`; the connection that listens cannot send, so it listens on its own. */
export function feedOver(sending: Link, listening: Link, { keyPrefix, connectTimeoutMs }: Config, log: Logger): Feed {
  const channel = `${keyPrefix}feed`;
  const heard = listeners((error) => log("error", "redis.feed.listener", { why: messageOf(error) }));

  // A new connection knows no channel. Once it listens again, whatever was said meanwhile is lost: say so.
  const listenAgain = async (): Promise<void> => {
    try {
      await answerIn(connectTimeoutMs, listening.redis.subscribe(channel));
      heard.missed();
    } catch {
      listening.redis.stream.destroy(); // the next connection tries again
    }
  };
  listening.redis.on("ready", listenAgain);
  listening.redis.on("message", (_, text: string) => {
    const [topic, message] = JSON.parse(text) as [string, string]; // written by publish below
    heard.deliver(topic, message);
  });

  const publish = async (topic: string, message: string): Promise<void> =>
    void (await sending.run("feed", connectTimeoutMs, (redis) => redis.publish(channel, JSON.stringify([topic, message]))));
  return {
    publish,
    heartbeat: () => heard.roundTrip(() => publish(HEARTBEAT_TOPIC, "")),
    async subscribe(topic, onMessage) {
      // Asked for again although the connection listens: with the answer, what was said before has arrived too.
      await listening.run("feed", connectTimeoutMs, (redis) => redis.subscribe(channel));
      const leave = heard.add(topic, onMessage);
      return async () => leave();
    },
  };
}
