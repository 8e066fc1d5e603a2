import { type Generations as Shown, type Logger, messageOf } from "#contract";
import type { Built } from "../boot.ts";
import type { Generation } from "../generation.ts";
import { type Carried, runStep } from "../life.ts";
import type { PartHealth } from "../states.ts";
import { type Heard, type Hearing, listenForCalls, type ReloadCall } from "./reload-broadcast.ts";

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

/** One generation with its routes, its plugins and its ear for reloads of other processes. */
export interface Held<T> extends Serving<T> {
  readonly built: Built;
  readonly others: ReloadCall;
}

/** What a generation shares with those before and after it. */
export interface Shared extends Hearing {
  readonly shown: Shown;
  readonly heard: Heard;
}
export interface NextGeneration {
  readonly number: number;
  readonly carried: Carried;
  /** Throws when it may not take over. */
  accept(generation: Generation): void;
}

/** A generation with its routes, ready to serve. What cannot be attached is closed again. */
export async function buildAndAttach<T>(parts: GenerationsParts<T>, shared: Shared, next: NextGeneration): Promise<Held<T>> {
  const built = await parts.build(next.number, next.carried, shared.shown);
  const { generation } = built;
  let others: ReloadCall | undefined;
  try {
    next.accept(generation);
    others = await listenForCalls(generation.stores, shared.heard, shared, parts.log);
    return { built, generation, attached: parts.attach(generation), others };
  } catch (error) {
    await others?.close();
    await built.end();
    throw error;
  }
}

/** Lets its requests finish, then closes its plugins. */
export async function end<T>(
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
