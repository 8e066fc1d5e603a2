/** How much of a streamed answer its client has at a verdict, by the way in which a check judges: measured by a test, and printed in the documentation. */
import type { Json, StreamMode } from "#contract";

/** Characters of the answer, and where the word begins that is looked for. */
export const LENGTH = 4_000;
export const WORD_AT = 2_005;

export interface Released {
  readonly way: string;
  readonly stream: StreamMode;
  readonly guardrail: Json;
  /** Characters that the client has at the first verdict, at the verdict over the word, and in the end. */
  readonly first: number;
  readonly atWord: number;
  readonly last: number;
  readonly denied: boolean;
}
const WINDOW: StreamMode = { window: { chars: 500, overlap: 100 } };
const DENY: Json = { deny: true };
const ALL = { first: LENGTH, atWord: LENGTH, last: LENGTH, denied: false } as const;
export const RELEASED: readonly Released[] = [
  { way: "held whole, `deny`", stream: "final", guardrail: DENY, first: 0, atWord: 0, last: 0, denied: true },
  { way: "held whole, no `deny`", stream: "final", guardrail: {}, first: 0, atWord: 0, last: LENGTH, denied: false },
  { way: "windows of 500 over 100, `deny`", stream: WINDOW, guardrail: DENY, first: 0, atWord: 1_600, last: 1_600, denied: true },
  { way: "windows of 500 over 100, no `deny`", stream: WINDOW, guardrail: {}, first: 0, atWord: 1_600, last: LENGTH, denied: false },
  { way: "`async`", stream: "final", guardrail: { async: true, deny: true }, ...ALL },
  { way: "none, no `deny`", stream: "none", guardrail: {}, ...ALL },
];
