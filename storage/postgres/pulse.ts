import type { Sql } from "postgres";
import { clientOf, drop } from "./client.ts";
import type { Config } from "./config.ts";
import { answerIn } from "./answer-in.ts";

/** The one connection that is always open: it hears notifications, and shows whether the server answers. */
export interface Pulse {
  /** Asks the server now; when it was just being asked, waits for that answer. */
  beat(): Promise<void>;
  /** Asks after what is on its way. */
  beatAfresh(): Promise<void>;
  stop(): void;
}
export interface PulseEvents {
  up(): void;
  away(why: Error): void;
  /** A new connection listens from now on; what was said before it did is lost. */
  listening(): void;
  heard(payload: string): void;
}
const EVERY_MS = { up: 2000, away: 250 };
export const CHANNEL = "gateway_feed";

export function pulse(config: Config, on: PulseEvents): Pulse {
  let session: Sql | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let beating: Promise<void> | undefined;

  const open = async (): Promise<void> => {
    const opened = clientOf(config, {
      max: 1,
      statementTimeoutMs: config.statementTimeoutMs,
      onnotify: (_, payload) => on.heard(payload),
      onclose: () => {
        if (session !== opened) return; // dropped by ourselves
        end();
        void beat();
      },
    });
    session = opened;
    await answerIn(config.statementTimeoutMs, opened.unsafe(`listen ${CHANNEL}`));
    on.listening();
  };
  const end = (): void => {
    const ended = session;
    session = undefined;
    if (ended !== undefined) drop(ended);
  };
  const ask = async (): Promise<void> => {
    try {
      await (session === undefined ? open() : answerIn(config.statementTimeoutMs, session.unsafe("select 1")));
      if (!stopped) on.up();
    } catch (error) {
      end();
      if (!stopped) on.away(error instanceof Error ? error : new Error(String(error)));
    }
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(beat, session === undefined ? EVERY_MS.away : EVERY_MS.up);
    timer.unref?.();
  };
  const beat = (): Promise<void> =>
    (beating ??= ask().finally(() => {
      beating = undefined;
    }));

  return {
    beat,
    beatAfresh: () => (beating ?? Promise.resolve()).then(beat),
    stop() {
      stopped = true;
      clearTimeout(timer);
      end();
    },
  };
}
