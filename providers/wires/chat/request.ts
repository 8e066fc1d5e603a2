import type { Json } from "#contract";
import { withAllowedTools } from "./allowed-tools.ts";
import { type Lack, refuseLacking } from "./lacks.ts";
import { withQuestion } from "./question.ts";

/**
 * A chat request as a wire of a vendor's own takes it: refused by the member's name where it holds what `provider` has
 * nowhere, and in the plainest words that mean the same elsewhere.
 */
export function chatRequest(body: Json, provider: string, lacks: readonly Lack[]): Json {
  refuseLacking(body, provider, lacks);
  return withQuestion(withAllowedTools(body));
}
