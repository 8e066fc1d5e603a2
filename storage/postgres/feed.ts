import { randomUUID } from "node:crypto";
import type { Feed } from "#contract";
import { HEARTBEAT_TOPIC, type Listeners } from "../tables/listeners.ts";
import type { Link } from "./link.ts";
import { CHANNEL } from "./pulse.ts";

/** Messages by NOTIFY on one channel. */
export const feedOver = (link: Link, heard: Listeners): Feed => ({
  publish: (topic, message) => publish(link, topic, message),
  async subscribe(topic, onMessage) {
    await link.listening(); // with the answer, what was said before has arrived too
    const leave = heard.add(topic, onMessage);
    return async () => leave();
  },
  heartbeat: () => heard.roundTrip(() => publish(link, HEARTBEAT_TOPIC, "")),
});

async function publish(link: Link, topic: string, message: string): Promise<void> {
  const payloads = payloadsOf(topic, message);
  // One statement is one transaction: its notifications arrive together and in order.
  const text = `select pg_notify('${CHANNEL}', p) from unnest($1::text[]) with ordinality as t(p, n) order by n`;
  await link.run("feed", ({ main }) => main.unsafe(text, [payloads], { prepare: true }));
}

/** A payload has room for 8000 bytes less one, so a long message travels in parts: `id index count part`. */
const PART = 7000;

function payloadsOf(topic: string, message: string): string[] {
  // ASCII only: one character is one byte wherever it is cut.
  const text = JSON.stringify([topic, message]).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const count = Math.ceil(text.length / PART);
  const id = randomUUID();
  return Array.from({ length: count }, (_, index) => `${id} ${index} ${count} ${text.slice(index * PART, (index + 1) * PART)}`);
}

/** Puts the parts together again. Parts of one message follow each other, so one is begun at a time. */
export function reader(deliver: (topic: string, message: string) => void): (payload: string) => void {
  let begun = { id: "", text: "" };
  return (payload) => {
    const [id = "", index, count] = payload.split(" ", 3);
    const part = payload.slice(`${id} ${index} ${count} `.length);
    begun = begun.id === id ? { id, text: begun.text + part } : { id, text: part };
    if (Number(index) + 1 < Number(count)) return;
    const [topic, message] = JSON.parse(begun.text) as [string, string]; // written by payloadsOf
    deliver(topic, message);
  };
}
