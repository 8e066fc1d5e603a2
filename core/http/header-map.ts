import type { RequestHeaders } from "#contract";

/**
 * A request's headers, taken from the runtime once: each question to its own Headers crosses into it, and many of a
 * request's steps ask.
 */
export class HeaderMap implements RequestHeaders {
  private readonly values = new Map<string, string>();
  constructor(headers: Headers) {
    headers.forEach(setHeader, this.values);
  }
  /** From now on these count as not sent. */
  remove(names: readonly string[]): void {
    for (const name of names) this.values.delete(name);
  }
  /** From now on it counts as sent so. */
  set(name: string, value: string): void {
    this.values.set(name, value);
  }
  get(name: string): string | null {
    return this.values.get(name.toLowerCase()) ?? null;
  }
  has(name: string): boolean {
    return this.values.has(name.toLowerCase());
  }
  forEach<This>(visit: (this: This, value: string, name: string) => void, self?: This): void {
    this.values.forEach(visit as (value: string, name: string) => void, self); // a callback that reads `this` is given it
  }
}

function setHeader(this: Map<string, string>, value: string, name: string): void {
  this.set(name, value);
}
