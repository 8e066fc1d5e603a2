import type { BodyContent } from "./content.ts";
import type { OwnedIds } from "./owned.ts";

/**
 * Requests that pass to a provider as they came: method, path, query, body. One for the path and method of a mounted
 * operation is read as that operation says, and is of the request type `proxy` all the same; what an `api` plugin says
 * here is for all others.
 */
export interface Passing {
  /** Usage in their answers. Without `input` and `output`: nobody knows what such bodies hold. */
  readonly content: BodyContent;
  /** Scope that a key needs. */
  readonly scope: string;
  /** Ids in a request of this method, and in its answer. */
  owned?(method: string): OwnedIds;
}
/** The request type of what passes, whatever it is for. */
export const PASSING = "proxy";
/** Below this path everything passes; elsewhere what nobody mounts. */
export const PASSING_PREFIX = "/v1/proxy";

/** How a request came to pass: by the prefix, or because nobody mounts its path. */
export type PassedBy = "prefix" | "unmounted";

/** What a check may know of a request that passes, whatever its body holds. */
export interface PassedRequest {
  readonly method: string;
  /** Below the provider's base. */
  readonly path: string;
  /** Empty where it says none. */
  readonly contentType: string;
}
