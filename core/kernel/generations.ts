import { GatewayError, type Generations as Shown, type Logger, messageOf } from "#contract";
import type { Built } from "./boot.ts";
import { BootFailed } from "./building.ts";
import type { Generation, PluginState } from "./generation.ts";
import type { SharedStorage } from "./member.ts";
import { type Heard, listenForCalls, type ReloadCall } from "./reload-call.ts";
import { within } from "./steps.ts";

/** The running configuration, and how it is replaced by the next without a request noticing. */
export interface Generations<T> {
  /** What serves now. A request takes it once and stays with it. */
  readonly current: Serving<T>;
  /**
   * Builds the next wholly beside this one, swaps, drains this one; a failure throws and changes nothing. In this process
   * only: what plugins ask for (`host.generations.reload`) is made known to the deployment's other processes too.
   */
  reload(): Promise<{ readonly number: number }>;
  /** Stops for good: waits for requests up to the limit, then closes every plugin. */
  close(): Promise<void>;
}
export interface Serving<T> {
  readonly generation: Generation;
  /** What was made of the generation before it served: its routes. */
  readonly attached: T;
}
export interface GenerationsParts<T> {
  /** Reads the profile as it now is and boots it. */
  build(number: number, carried: ReadonlyMap<string, SharedStorage>, shown: Shown): Promise<Built>;
  attach(generation: Generation): T;
  /** Called once no request is inside any more, before plugins drain. What takes longer than the limit below is left behind. */
  detach(attached: T): Promise<void>;
  readonly log: Logger;
  /** Milliseconds a generation's requests have to finish, and then what is left to detach. */
  readonly idleLimitMs: number;
}
interface Held<T> extends Serving<T> {
  readonly built: Built;
  readonly others: ReloadCall;
}

/** Boots the first generation; a failure of what is required throws. */
export async function startGenerations<T>(parts: GenerationsParts<T>): Promise<Generations<T>> {
  let current: Held<T> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const heard: Heard = { last: undefined };
  const retiring = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const shown: Shown = {
    get number() {
      return current?.generation.number ?? 0;
    },
    states: () => (current ? shownStates(current.generation) : []),
    async reload() {
      const made = await reload().catch((error: unknown) => {
        throw bootErrors(error)[0] ?? error; // the first of several errors is enough to act on; the log has all
      });
      await current?.others.call();
      return made;
    },
  };
  const called = (): void => void reload().catch(() => undefined); // a failure is logged where it happens
  const next = (number: number, carried: ReadonlyMap<string, SharedStorage>) => hold(parts, number, carried, { shown, heard, called });

  async function replace(): Promise<{ number: number }> {
    if (closing) throw new GatewayError("NOT_READY", { why: "it is stopping" });
    const old = current;
    const { generation } = (current = await next((old?.generation.number ?? 0) + 1, old?.built.storages ?? new Map()));
    if (old) retire(old);
    parts.log("info", "generation.started", { number: generation.number });
    return { number: generation.number };
  }
  function retire(old: Held<T>): void {
    const ending: Promise<void> = end(parts, old).finally(() => retiring.delete(ending));
    retiring.add(ending);
  }
  /** One change at a time; a later one sees what the earlier one made. */
  function reload(): Promise<{ number: number }> {
    const mine = turn.then(replace);
    turn = mine.catch((error: unknown) =>
      parts.log("error", "generation.kept", { number: current?.generation.number ?? 0, why: messageOf(error) }),
    );
    return mine;
  }

  async function finish(): Promise<void> {
    await turn;
    if (current) retire(current);
    await Promise.all(retiring);
  }

  const starting = next(1, new Map());
  turn = starting.catch(() => undefined); // what is called for meanwhile waits for it; its failure is thrown below
  const first = (current = await starting);
  return {
    get current() {
      return current ?? first;
    },
    reload,
    close: () => (closing ??= finish()),
  };
}

/** Plugins, then folders that hold none that could be read: they have no other name than their own. */
const shownStates = ({ plugins, unreadable }: Generation): ReturnType<Shown["states"]> => [
  ...plugins.map(shownState),
  ...unreadable.map(({ origin, why, code }) => ({
    name: origin,
    version: "",
    title: "(no readable manifest)",
    needs: [],
    state: "failed" as const,
    why,
    code,
    required: false,
    provides: [],
  })),
];
const shownState = ({ name, manifest, state, why, code, required, provides }: PluginState): ReturnType<Shown["states"]>[number] => {
  const { version, title, needs = [] } = manifest;
  return { name, version, title, needs, state, why, code, required, provides };
};

/** What a generation shares with those before and after it. */
interface Across {
  readonly shown: Shown;
  readonly heard: Heard;
  /** Another process has asked for a new generation. */
  readonly called: () => void;
}

/** A generation with its routes, ready to serve. What cannot be attached is closed again. */
async function hold<T>(
  parts: GenerationsParts<T>,
  number: number,
  carried: ReadonlyMap<string, SharedStorage>,
  { shown, heard, called }: Across,
): Promise<Held<T>> {
  const built = await parts.build(number, carried, shown);
  const { generation } = built;
  let others: ReloadCall | undefined;
  try {
    others = await listenForCalls(generation.stores, heard, called, parts.log);
    return { built, generation, attached: parts.attach(generation), others };
  } catch (error) {
    await others?.close();
    await built.end();
    throw error;
  }
}

async function end<T>({ detach, log, idleLimitMs }: GenerationsParts<T>, { built, generation, attached, others }: Held<T>): Promise<void> {
  await others.close().catch((error: unknown) => log("warn", "generation.call", { number: generation.number, why: messageOf(error) }));
  await new Promise((resolve) => setTimeout(resolve, 0)); // a request that was just handed over gets to count itself in
  const empty = await built.idle(idleLimitMs);
  if (!empty) log("warn", "generation.cut", { number: generation.number, requests: generation.inFlight });
  await within(idleLimitMs, () => detach(attached)).catch((error: unknown) =>
    log("error", "generation.detach", { number: generation.number, why: messageOf(error) }),
  );
  await built.end();
  log("info", "generation.ended", { number: generation.number });
}

/** The plugin errors behind a boot that failed. */
export const bootErrors = (error: unknown): readonly GatewayError[] => {
  if (GatewayError.is(error)) return [error];
  return error instanceof BootFailed ? error.errors : [];
};
