import type { Json } from "./json.ts";

/**
 * Ids that a provider makes for a client and knows again later: of files, batches, threads, responses. Several workspaces
 * may share one credential, so whose an id is gets recorded when it is made, and is asked when it is used.
 */
export interface OwnedIds {
  /** Path parameters that hold such an id. What stands below it (a run of a thread) belongs to its owner. */
  readonly params?: readonly string[];
  /** The same of a path without parameters, and of its query. */
  path?(path: string, search: string): readonly string[];
  /** The ids that a request's body names: `input_file_id`, `previous_response_id`, the `file_id` of a part. */
  named?(body: Json): readonly string[];
  /** The same of a body that nobody declared, whose every value is looked at: it may be long, and others have their turns. */
  namedInTurns?(body: Json): Promise<readonly string[]>;
  /**
   * Is a body of this type, which nobody reads, an upload? Any other may name what it likes, and does not go with a credential
   * that several workspaces share. Default: all are.
   */
  isUpload?(contentType: string): boolean;
  /** Of what passes: how a body is judged that is not as its operation has it, but in another vendor's form. */
  readonly unfit?: OwnedIds;
  /** The ids that an answer brings into being. */
  made?(answer: Json): readonly string[];
  /** What a request begins that goes on behind its answer: a run, a response in the background. What it used is told later, to whoever asks. */
  readonly begins?: {
    /** Does this body begin one? */
    by(body: Json): boolean;
    /** Their ids in an answer, or in an event of a stream; not of what has ended in it. */
    ids(answer: Json): readonly string[];
  };
  /** Its provider forgets what is made by itself in time, and whose it was may be forgotten then. */
  readonly temporary?: true;
  /**
   * The parts of what an answer brings into being: a response's items. There are many, so whose they are is recorded only
   * where several workspaces share the credential; elsewhere what nobody recorded is there for its one workspace.
   */
  readonly parts?: {
    of(answer: Json): readonly string[];
    /** The events of a stream that bring one. */
    readonly events: readonly string[];
  };
  /**
   * The answer is a page of such things: what is not the caller's is left out of its `data`; `not-others`: only what was
   * recorded for somebody else is (a provider's models are everybody's).
   */
  readonly lists?: true | "not-others";
  /** Where the things of such a page stand, and their ids, unless in `data` with an `id` each. */
  readonly page?: PageForm;
  /** The same where nobody declared it: every list in this answer. What cannot be read does not pass where the credential is shared. */
  listsIn?(answer: Json): readonly PageForm[];
  /**
   * Where nobody declared what is an id: does this one look like no word? One that does not is somebody's only if it is
   * recorded; default: all are ids.
   */
  looksLikeId?(text: string): boolean;
}

export interface PageForm {
  readonly member: string;
  /** `undefined` for a thing without one. */
  idOf(thing: Json): string | undefined;
}

/**
 * Is it the name of a model that was trained for a client? Such a name is asked for its owner wherever it is used: what was
 * recorded for another workspace is not there. One that nobody recorded was trained elsewhere, and may serve all.
 */
export const isTrained = (model: string): boolean => model.startsWith("ft:");
