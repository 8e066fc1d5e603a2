import { GatewayError, type Generations as Shown, type Logger, messageOf } from "#contract";
import type { Built } from "../boot.ts";
import { BootFailed } from "../building.ts";
import type { Generation } from "../generation.ts";
import { type Carried, runStep } from "../life.ts";
import { lostPlugins, refuseLoss } from "./lost.ts";
import { type Heard, type Hearing, type How, listenForCalls, type ReloadCall } from "./reload-broadcast.ts";
import { type PartHealth, shownStates } from "../states.ts";

/** The running configuration, and how it is replaced by the next without a request noticing. */
export interface Generations<T> {
  /** What serves now. A request takes it once and stays with it. */
  readonly current: Serving<T>;
  /**
   * Builds the next wholly beside this one, swaps, drains this one; a failure, or the loss of a plugin that is not forced,
   * throws and changes nothing. In this process only: what plugins ask for (`host.generations.reload`) is made known to the
   * deployment's other processes too.
   */
  reload(how?: How): Promise<{ readonly number: number }>;
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
  build(number: number, carried: Carried, shown: Shown): Promise<Built>;
  attach(generation: Generation): T;
  /** It gets no new requests: what would not end by itself is told to. */
  leave?(attached: T): void;
  /** Called once no request is inside any more, before plugins drain. What takes longer than the limit below is left behind. */
  detach(attached: T): Promise<void>;
  readonly log: Logger;
  /** Takes known secrets out of a text. */
  redact(text: string): string;
  /** Where a change that was not taken is told. */
  readonly parts: PartHealth;
  /** Milliseconds a generation's requests have to finish, and then what is left to detach. */
  readonly idleLimitMs: number;
  /** It serves requests, so that its plugins do their periodic work too; commands do not. */
  readonly runsJobs?: true;
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
  const kept: Kept = { here: undefined, elsewhere: undefined };
  const refusedElsewhere = (why: string): void => {
    kept.elsewhere = why;
    parts.log("warn", "generation.kept_elsewhere", { why });
  };
  let closing: Promise<void> | undefined;

  const shown: Shown = {
    get number() {
      return current?.generation.number ?? 0;
    },
    states: () => (current ? shownStates(current.generation) : []),
    async reload(how) {
      const made = await reload(how).catch((error: unknown) => {
        throw bootErrors(error)[0] ?? error; // the first of several errors is enough to act on; the log has all
      });
      await current?.others.call(how);
      return made;
    },
  };
  const called = (how: How): Promise<unknown> =>
    reload(how).catch((error: unknown) => {
      if (closing) return; // it ends, and keeps nothing
      throw new Error(parts.redact(messageOf(error))); // it is told to the process that called
    });
  const next = (number: number, carried: Carried, accept: Across["accept"]) =>
    buildAndAttach(parts, number, carried, { shown, heard, called, refusedElsewhere, accept });

  async function replace({ force = false }: How): Promise<{ number: number }> {
    if (closing) throw new GatewayError("NOT_READY", { why: "it is stopping" });
    const old = current;
    const accept = (generation: Generation): void => {
      if (old && !force) refuseLoss(old.generation, generation);
      const lost = old ? lostPlugins(old.generation, generation) : [];
      for (const { name, why } of lost) parts.log("warn", "generation.forced", { plugin: name, why });
    };
    const { generation } = (current = await next((old?.generation.number ?? 0) + 1, old?.built.storages ?? new Map(), accept));
    if (old) retire(old);
    if (parts.runsJobs) current.built.jobs.start();
    kept.here = undefined;
    kept.elsewhere = undefined;
    parts.log("info", "generation.started", { number: generation.number });
    return { number: generation.number };
  }
  function retire(old: Held<T>): void {
    void old.built.jobs.stop(); // at once, whatever its requests still need; its end waits for them
    const ending: Promise<void> = end(parts, old).finally(() => retiring.delete(ending));
    retiring.add(ending);
  }
  /** One change at a time; a later one sees what the earlier one made. */
  function reload(how: How = {}): Promise<{ number: number }> {
    const mine = turn.then(() => replace(how));
    turn = mine.catch((error: unknown) => {
      kept.here = parts.redact(messageOf(error));
      parts.log("error", "generation.kept", { number: current?.generation.number ?? 0, why: kept.here });
    });
    return mine;
  }

  async function finish(): Promise<void> {
    await turn;
    if (current) retire(current);
    await Promise.all(retiring);
  }

  parts.parts.set("generations", () => ({ degraded: sentences(kept) }));
  const starting = next(1, new Map(), () => undefined);
  turn = starting.catch(() => undefined); // what is called for meanwhile waits for it; its failure is thrown below
  const first = (current = await starting);
  if (parts.runsJobs) first.built.jobs.start();
  return {
    get current() {
      return current ?? first;
    },
    reload,
    close: () => (closing ??= finish()),
  };
}

/** Why the generation that was asked for last does not serve, in this process and in the one that said so last. */
interface Kept {
  here: string | undefined;
  elsewhere: string | undefined;
}
/** The same as a part of the process tells it. */
const sentences = ({ here, elsewhere }: Kept): readonly string[] => [
  ...(here === undefined ? [] : [`The last change of the configuration was not taken, and the one before it serves: ${here}`]),
  ...(elsewhere === undefined ? [] : [`Another process did not take the last change of the configuration: ${elsewhere}`]),
];

/** What a generation shares with those before and after it. */
interface Across extends Hearing {
  readonly shown: Shown;
  readonly heard: Heard;
  /** Throws when it may not take over. */
  readonly accept: (generation: Generation) => void;
}

/** A generation with its routes, ready to serve. What cannot be attached is closed again. */
async function buildAndAttach<T>(
  parts: GenerationsParts<T>,
  number: number,
  carried: Carried,
  { shown, heard, called, refusedElsewhere, accept }: Across,
): Promise<Held<T>> {
  const built = await parts.build(number, carried, shown);
  const { generation } = built;
  let others: ReloadCall | undefined;
  try {
    accept(generation);
    others = await listenForCalls(generation.stores, heard, { called, refusedElsewhere }, parts.log);
    return { built, generation, attached: parts.attach(generation), others };
  } catch (error) {
    await others?.close();
    await built.end();
    throw error;
  }
}

async function end<T>(
  { leave, detach, log, idleLimitMs }: GenerationsParts<T>,
  { built, generation, attached, others }: Held<T>,
): Promise<void> {
  await others.close().catch((error: unknown) => log("warn", "generation.call", { number: generation.number, why: messageOf(error) }));
  await new Promise((resolve) => setTimeout(resolve, 0)); // a request that was just handed over gets to count itself in
  leave?.(attached);
  const empty = await built.idle(idleLimitMs);
  if (!empty) log("warn", "generation.cut", { number: generation.number, requests: generation.inFlight });
  await runStep(idleLimitMs, () => detach(attached)).catch((error: unknown) =>
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
