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
  /** The ids that an answer brings into being. */
  made?(answer: Json): readonly string[];
  /** The answer is a page of such things: what is not the caller's is left out of its `data`. */
  readonly lists?: true;
  /**
   * Where nobody declared what is an id: does this one look like no word? One that does not is somebody's only if it is
   * recorded; default: all are ids.
   */
  looksLikeId?(text: string): boolean;
}
