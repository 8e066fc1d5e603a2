import { GatewayError, type Generations as Shown, messageOf } from "#contract";
import { bootErrors } from "../building.ts";
import type { Generation } from "../generation.ts";
import { shownStates } from "../states.ts";
import { lostPlugins, refuseLoss } from "./lost.ts";
import { RefusedChanges } from "./refused-changes.ts";
import type { How } from "./reload-broadcast.ts";
import { buildAndAttach, end, type GenerationsParts, type Held, type NextGeneration, type Serving, type Shared } from "./serving.ts";

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

/** Boots the first generation; a failure of what is required throws. */
export async function startGenerations<T>(parts: GenerationsParts<T>): Promise<Generations<T>> {
  const generations = new Succession(parts);
  await generations.start();
  return generations;
}

/** One generation after the other: each is built beside the one that serves, and takes its place. */
class Succession<T> implements Generations<T> {
  readonly #parts: GenerationsParts<T>;
  readonly #refused: RefusedChanges;
  readonly #shared: Shared;
  #current: Held<T> | undefined;
  /** The end of the change that is being made; the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #retiring = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(parts: GenerationsParts<T>) {
    this.#parts = parts;
    this.#refused = new RefusedChanges(parts);
    this.#shared = {
      shown: this.#shown(),
      heard: { last: undefined },
      called: (how) => this.#reloadForOthers(how),
      refusedElsewhere: (why) => this.#refused.refusedElsewhere(why),
    };
  }

  /** What is called for meanwhile waits for the first; its failure is thrown here. */
  async start(): Promise<void> {
    const starting = this.#build({ number: 1, carried: new Map(), accept: () => undefined });
    this.#turn = starting.catch(() => undefined);
    this.#current = await starting;
    this.#startJobs();
  }

  get current(): Serving<T> {
    if (!this.#current) throw new GatewayError("NOT_READY", { why: "it is starting" });
    return this.#current;
  }

  /** One change at a time; a later one sees what the earlier one made. */
  reload(how: How = {}): Promise<{ number: number }> {
    const reloading = this.#turn.then(() => this.#replace(how));
    this.#turn = reloading.catch((error: unknown) => this.#refused.refusedHere(error, this.#number));
    return reloading;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#finish());
  }

  /** What plugins see of it. */
  #shown(): Shown {
    const number = (): number => this.#number;
    return {
      get number() {
        return number();
      },
      states: () => (this.#current ? shownStates(this.#current.generation) : []),
      reload: async (how) => {
        const made = await this.reload(how).catch((error: unknown) => {
          throw bootErrors(error)[0] ?? error; // the first of several errors is enough to act on; the log has all
        });
        await this.#current?.others.call(how);
        return made;
      },
    };
  }

  get #number(): number {
    return this.#current?.generation.number ?? 0;
  }

  /** Another process called for it, and is sent the reason when this one stays as it was. */
  #reloadForOthers(how: How): Promise<unknown> {
    return this.reload(how).catch((error: unknown) => {
      if (this.#closing) return; // it ends, and keeps nothing
      throw new Error(this.#parts.redact(messageOf(error)));
    });
  }

  #build(next: NextGeneration): Promise<Held<T>> {
    return buildAndAttach(this.#parts, this.#shared, next);
  }

  async #replace({ force = false }: How): Promise<{ number: number }> {
    if (this.#closing) throw new GatewayError("NOT_READY", { why: "it is stopping" });
    const before = this.#current;
    const accept = (next: Generation): void => before && this.#accept(before.generation, next, force);
    const next = await this.#build({ number: this.#number + 1, carried: before?.built.storages ?? new Map(), accept });
    this.#current = next;
    if (before) this.#retire(before);
    this.#startJobs();
    this.#refused.clear();
    this.#parts.log("info", "generation.started", { number: this.#number });
    return { number: this.#number };
  }

  /** Throws when plugins would be lost that nobody took away, unless that is wanted. */
  #accept(before: Generation, next: Generation, force: boolean): void {
    if (!force) refuseLoss(before, next);
    for (const { name, why } of lostPlugins(before, next)) this.#parts.log("warn", "generation.forced", { plugin: name, why });
  }

  #startJobs(): void {
    if (this.#parts.runsJobs) this.#current?.built.jobs.start();
  }

  #retire(before: Held<T>): void {
    void before.built.jobs.stop(); // at once, whatever its requests still need; its end waits for them
    const ending: Promise<void> = end(this.#parts, before).finally(() => this.#retiring.delete(ending));
    this.#retiring.add(ending);
  }

  async #finish(): Promise<void> {
    await this.#turn;
    if (this.#current) this.#retire(this.#current);
    await Promise.all(this.#retiring);
  }
}
