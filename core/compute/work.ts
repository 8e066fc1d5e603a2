import type { ErrorClass, Segment, Side, Verdict } from "#contract";

/** Where a pack's code is: in the program itself, or in a module of a plugins folder. */
export interface PackSource {
  /** `kind/id` */
  readonly name: string;
  readonly module?: { readonly path: string; readonly version: string };
}

/** One question to a check that is answered in another process. */
export interface Work {
  readonly pack: PackSource;
  readonly check: string;
  readonly ask: "run" | "problems";
  readonly params: unknown;
  readonly side: Side;
  readonly text: string;
  /** What the text is joined of, for a check that transforms. */
  readonly pieces?: readonly Piece[];
  readonly now: number;
  /** Whose work it is: workspaces share the processes fairly. */
  readonly tenant: string;
  /** Milliseconds it may take at most; never more than the pool's own deadline. */
  readonly deadlineMs: number;
  /** Fires when nobody waits for the answer any more; `null` when somebody always does. */
  readonly signal: AbortSignal | null;
}

/** A segment whose text is so many characters of the work's, and a newline apart from the next. */
export interface Piece extends Omit<Segment, "text"> {
  readonly chars: number;
}

/** Why there is no answer. */
export interface Failed {
  readonly kind: "failed";
  readonly class: Extract<ErrorClass, "budget" | "busy" | "crash" | "unavailable">;
  readonly message: string;
}
export type Answer =
  | { readonly kind: "verdict"; readonly verdict: Verdict; readonly dataText: string | null }
  | { readonly kind: "problems"; readonly problems: readonly string[] }
  | Failed;

export const failed = (errorClass: Failed["class"], message: string): Failed => ({ kind: "failed", class: errorClass, message });

/* ── on the wire ─────────────────────────────────────────────────────────────────────────────────────────────── */

/** What goes before a job's frames: its parameters in one, its text in `chunks` of them. */
export interface JobHead extends Pick<Work, "pack" | "check" | "ask" | "side" | "now" | "pieces"> {
  readonly chunks: number;
}
/** What comes back; the verdict's data follows in a frame of its own when `data` says so. */
export type ReplyHead =
  | { readonly kind: "ready" }
  /** It has the work, and the code to do it with: its time counts from now on. */
  | { readonly kind: "begun" }
  | { readonly kind: "verdict"; readonly verdict: Verdict; readonly data: boolean }
  | { readonly kind: "problems"; readonly problems: readonly string[] }
  | { readonly kind: "thrown"; readonly class: "crash" | "budget"; readonly message: string };

/** Characters of a verdict's data, as JSON, that are shown; a larger one stays where it was made. */
export const MAX_DATA_CHARS = 65_536;
/** Characters of a verdict without its data (a reason, patches), as JSON. */
export const MAX_VERDICT_CHARS = 4_000_000;
