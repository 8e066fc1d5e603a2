import { type Logger, messageOf } from "#contract";
import type { GenerationsParts } from "./serving.ts";

/** Why the configuration that was asked for last does not serve, in this process and in the one that refused it last. */
export class RefusedChanges {
  #here: string | undefined;
  #elsewhere: string | undefined;
  readonly #log: Logger;
  readonly #redact: (text: string) => string;

  constructor({ log, redact, parts }: Pick<GenerationsParts<unknown>, "log" | "redact" | "parts">) {
    this.#log = log;
    this.#redact = redact;
    parts.set("generations", () => ({ degraded: this.#sentences() }));
  }

  /** The generation of this number goes on. */
  refusedHere(error: unknown, number: number): void {
    this.#here = this.#redact(messageOf(error));
    this.#log("error", "generation.kept", { number, why: this.#here });
  }

  refusedElsewhere(why: string): void {
    this.#elsewhere = why;
    this.#log("warn", "generation.kept_elsewhere", { why });
  }

  /** A change was taken. */
  clear(): void {
    this.#here = undefined;
    this.#elsewhere = undefined;
  }

  #sentences(): readonly string[] {
    const [here, elsewhere] = [this.#here, this.#elsewhere];
    return [
      ...(here === undefined ? [] : [`The last change of the configuration was not taken, and the one before it serves: ${here}`]),
      ...(elsewhere === undefined ? [] : [`Another process did not take the last change of the configuration: ${elsewhere}`]),
    ];
  }
}
