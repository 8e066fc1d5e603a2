import type { Requirement } from "./verifies.ts";

/** Rows of one section. `rows` are `[id, promise]` when served, `[id, promise, what it waits for]` when not. */
export const section = (name: string, rows: readonly (readonly [id: string, promise: string, later?: string])[]): Requirement[] =>
  rows.map(([id, promise, later]) => ({ id, section: name, promise, served: later === undefined ? true : { later } }));
