import { LRUCache } from "lru-cache";
import { GatewayError, type Health, type MaybePromise, messageOf, type SecretManager, type SecretPlace } from "#contract";
import type { ProcessLog } from "../process/log.ts";
import { runStep } from "../life.ts";
import { credentialsIn } from "./credentials-in.ts";

/** What is asked for: one value of one reference. */
export interface WantedSecret extends SecretPlace {
  /** The same for as long as nobody changes the reference. */
  readonly id: string;
  /** What errors and logs call it. */
  readonly reference: string;
  readonly manager: string;
}
interface Kept {
  readonly value: string;
  /** From here on it is read again, while requests are served with it. */
  refreshAt: number;
  /** From here on a request waits for it to be read. */
  until: number;
  /** As its manager says. */
  readonly endsAt: number;
}

const KEEP_MS = 5 * 60_000;
/** The part of that time after which it is read again, before anybody has to wait. */
const REFRESH_AT = 0.8;
/** How long a manager that is away is left alone where there is a value to go on with. */
const AGAIN_MS = 10_000;
/** How long it is told of a place that could not be asked, where nobody asks there again. */
const TOLD_MS = 10 * 60_000;
const READ_LIMIT_MS = 5_000;
const MAX_KEPT = 5_000;
/** Of all that is kept, and of one. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_VALUE = 65_536;

export interface KeptSecretsParts {
  readonly managers: ReadonlyMap<string, SecretManager>;
  readonly log: Pick<ProcessLog, "log" | "hide">;
  now(): number;
  /** How long a value is good for, unless its manager says less. Default: five minutes. */
  readonly keepMs?: number;
  /** What its manager says has ended is not served, even where the manager is away. */
  readonly endsForGood?: true;
  /** What is thrown where a manager says no, and where it cannot be asked. */
  readonly codes?: Codes;
}
interface Codes {
  readonly absent: "SECRET_ABSENT" | "OAUTH_REFUSED";
  readonly away: "SECRET_UNAVAILABLE" | "OAUTH_UNAVAILABLE";
  /** What is wrong where it cannot be asked. */
  why(manager: string): string;
}
const CODES: Codes = {
  absent: "SECRET_ABSENT",
  away: "SECRET_UNAVAILABLE",
  why: (manager) => `its manager (${manager}) could not be asked`,
};

/** A place that could not be asked when it was last tried. */
interface Away {
  readonly name: string;
  readonly servesKept: boolean;
  readonly triedAt: number;
}
const MAX_NAMED = 20;

/**
 * Values out of managers of secrets. Each is read when it is needed, by one look at a time, and kept for a while; a
 * manager that cannot be asked is done without as long as a value is kept, and one that says no is believed at once.
 */
export class KeptSecrets {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT, maxSize: MAX_CHARACTERS, sizeCalculation: ({ value }) => value.length });
  readonly #reading = new Map<string, Promise<string>>();
  readonly #away = new LRUCache<string, Away>({ max: MAX_KEPT });
  constructor(private readonly parts: KeptSecretsParts) {}

  /** At once where it is kept. Throws SECRET_UNAVAILABLE, SECRET_ABSENT. */
  read(wanted: WantedSecret): MaybePromise<string> {
    const kept = this.#kept.get(wanted.id);
    const now = this.parts.now();
    if (kept === undefined || now >= kept.until) return this.#once(wanted);
    if (now >= kept.refreshAt) this.#once(wanted).catch(() => undefined); // what it was told, the next request is told too
    return kept.value;
  }

  /** Is this the value that is kept? */
  holds(id: string, value: string): boolean {
    return this.#kept.get(id)?.value === value;
  }
  /** What is kept is good no more, whatever was said of it. */
  forget(id: string): void {
    this.#kept.delete(id);
  }

  health(): Health {
    const away = [...this.#away.values()].filter(({ triedAt }) => this.parts.now() - triedAt < TOLD_MS);
    const namesOf = (servesKept: boolean) => away.filter((one) => one.servesKept === servesKept).map(({ name }) => name);
    const degraded = [
      ...telling("Secrets that cannot be read just now, and are served as they were last read", namesOf(true)),
      ...telling("Secrets that could not be read when they were last asked for, and of which nothing is kept", namesOf(false)),
    ];
    return { degraded, detail: { kept: this.#kept.size, away: away.length } };
  }

  #once(wanted: WantedSecret): Promise<string> {
    const reading = this.#reading.get(wanted.id) ?? this.#fetch(wanted).finally(() => this.#reading.delete(wanted.id));
    this.#reading.set(wanted.id, reading);
    return reading;
  }

  async #fetch(wanted: WantedSecret): Promise<string> {
    const manager = this.parts.managers.get(wanted.manager);
    if (manager === undefined) throw this.#absent(wanted, `no running plugin reads ${wanted.manager}`);
    let read: Awaited<ReturnType<SecretManager["read"]>>;
    try {
      read = await runStep(READ_LIMIT_MS, () => manager.read(wanted, AbortSignal.timeout(READ_LIMIT_MS)));
    } catch (thrown) {
      return this.#without(wanted, thrown);
    }
    this.#away.delete(wanted.id);
    const flaw = flawOf(read);
    if (flaw !== undefined || "missing" in read) {
      this.#kept.delete(wanted.id);
      throw this.#absent(wanted, flaw ?? "it is missing");
    }
    this.#keep(wanted.id, read.value, read.expiresAt);
    return read.value;
  }

  #keep(id: string, value: string, expiresAt = Number.POSITIVE_INFINITY): void {
    for (const text of [value, ...credentialsIn(value)]) this.parts.log.hide(text);
    const now = this.parts.now();
    const until = Math.min(now + (this.parts.keepMs ?? KEEP_MS), expiresAt);
    this.#kept.set(id, { value, until, endsAt: expiresAt, refreshAt: now + (until - now) * REFRESH_AT });
  }

  /** The manager could not be asked: its words may hold what it was asked with, and go to the log alone, which hides that. */
  #without(wanted: WantedSecret, thrown: unknown): string {
    const { reference, manager } = wanted;
    const kept = this.#stillGood(wanted.id);
    this.parts.log.log("warn", "secret.manager_away", {
      reference,
      manager,
      serves: kept ? "what is kept" : "nothing",
      why: messageOf(thrown),
    });
    this.#away.set(wanted.id, { name: `${reference} (${manager})`, servesKept: kept !== undefined, triedAt: this.parts.now() });
    const { away, why } = this.parts.codes ?? CODES;
    if (!kept) throw new GatewayError(away, { reference, why: why(manager) }, { cause: thrown });
    kept.refreshAt = kept.until = this.parts.now() + AGAIN_MS;
    return kept.value;
  }

  #stillGood(id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    return kept && this.parts.endsForGood && this.parts.now() >= kept.endsAt ? undefined : kept;
  }

  #absent({ reference }: WantedSecret, why: string): GatewayError {
    return new GatewayError((this.parts.codes ?? CODES).absent, { reference, why });
  }
}

const telling = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${names.slice(0, MAX_NAMED).join(", ")}.`];

/** What is wrong with what a manager gave; `undefined` when it is a secret. */
function flawOf(read: Awaited<ReturnType<SecretManager["read"]>>): string | undefined {
  if ("missing" in read) return read.missing;
  if (read.value.trim() === "") return "what is kept there is empty";
  return read.value.length > MAX_VALUE ? `what is kept there is longer than ${MAX_VALUE} characters` : undefined;
}
