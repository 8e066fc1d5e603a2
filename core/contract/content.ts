import type { AnswerLines, RequestLines } from "./file-lines.ts";
import type { Segment } from "./guardrail.ts";
import type { Json } from "./json.ts";
import type { UpstreamFailure, Usage } from "./stream.ts";

/** A segment, and the number of the message (or answer) it belongs to: scopes choose by that number. */
export interface PlacedSegment extends Segment {
  readonly message: number;
  /** Where its text is made of what the body holds: the same as it stands there, for whoever only counts. */
  readonly raw?: string;
  /** It stands beside what the model wrote, such as what that rests on: it is no part of the text under test. */
  readonly beside?: true;
}

/**
 * What the bodies of an operation hold: read by guardrails, logs and estimates, which know no body themselves. Readers take
 * any body (a client writes what it likes) and walk nothing recursively.
 */
export interface BodyContent {
  /** Every piece of content of a request, in the order of the body; absent where requests carry none. A form's fields count as members. */
  input?(body: Json): readonly PlacedSegment[];
  /** The pieces of the last message that has any, without reading the conversation before it; default: all of `input`. */
  lastInput?(body: Json): readonly PlacedSegment[];
  /** The member in which a request has a text as numbers of tokens, which no check can read. */
  tokens?(body: Json): string | undefined;
  /** The same as `input` of a whole answer; absent for vectors, scores, images and bytes. Where the provider reports no usage, `input` and `output` are counted. */
  output?(body: Json): readonly PlacedSegment[];
  /** Whole answers of an operation without a dialect are JSON, whatever they call themselves. */
  readonly json?: true;
  /** The failure that a good status hides, in a whole answer of an operation without a dialect or in its first event. */
  failed?(answer: Json): UpstreamFailure | undefined;
  /** Reads usage out of a whole answer of an operation without a dialect, unless the provider's adapter reads its own. */
  usage?(body: Json): Usage | undefined;
  /** Usage in events of an operation without a dialect, given the last 64 KB of them; events that nobody judges pass unread. */
  usageAtEnd?(tail: string): Usage | undefined;
  /** The model that answered, in the same end of them; for operations whose requests need not name one. */
  modelAtEnd?(tail: string): string | undefined;
  /** For answers that tell of what earlier requests began (see `begins` of `OwnedIds`): what each used is counted once, whoever hears of it first. */
  readonly ended?: {
    /** What has ended, in a whole answer. */
    in(answer: Json): readonly EndedWork[];
    /** The parameter of the path that names the one whose events an answer streams. */
    readonly param?: string;
  };
  /** Answers that are no JSON and hold content all the same, for guardrails. */
  readonly noJson?: NoJsonAnswer;
  /**
   * A whole answer of an operation without a dialect in the form that the request asks for, where its provider may have
   * given another one. The same object back means: forward it as it came.
   */
  asAsked?(answer: Json, asked: Json): Json | Promise<Json>;
  /** The members that `input` and a target's choice read, in lower case; guardrails let no body spell one otherwise. */
  readonly names?: ReadonlySet<string>;
  /** Members that are objects (and not lists) in which those names stand again: a call's function, an event's item. */
  readonly namesInside?: ReadonlySet<string>;
  /** Member -> members beside it that say the same again, or vouch for it: a patch of the one removes the others. */
  readonly repeats?: Readonly<Record<string, readonly string[]>>;
  /** Member -> lists beside it that rest on its text, and that clients look for always (what it cites): a patch of the one empties them. */
  readonly rests?: Readonly<Record<string, readonly string[]>>;
  /** A part that is no text (a tool call), as a patch changed it: `changed` is the patch's JSON. Default: `changed` itself. */
  replaced?(part: Json, changed: Json): Json;
  /** A body that a guardrail gave in place of another one, without what no longer holds (a signature of what was changed). Default: as it was given. */
  rewritten?(before: Json, after: Json): Json;
  /** The request, or the answer, is a file: it passes unread, is sent once, and to one target. */
  readonly file?: "sent" | "answered";
  /** Of a file that is sent: the lines in it that are requests. */
  readonly lines?: RequestLines;
  /** Of a file that is answered: the lines in it that are answers. */
  readonly answers?: AnswerLines;
  /** Answers are vectors: millions of numbers are taken, and no log keeps them. */
  readonly vectors?: true;
}
/** A run, or a response in the background, that has ended. */
export interface EndedWork {
  readonly id: string;
  readonly model: string | null;
  readonly usage: Usage;
}
/** An answer that is no JSON (a text, subtitles, events) as one body, so that checks read and patch it like any other. */
export interface NoJsonAnswer {
  read(wire: string, contentType: string): Json | Promise<Json>;
  /** The answer as guardrails changed its body. */
  write(body: Json, wire: string, contentType: string): string | Promise<string>;
}
/** Neither requests nor answers hold anything to check, to count or to leave out. */
export const NO_CONTENT: BodyContent = Object.freeze({});
