import type { Json } from "#contract";
import { withCallIds } from "./call-ids.ts";
import { refusedBy } from "./refused.ts";
import { withoutSilence } from "./silence.ts";
import { without } from "./without.ts";

/**
 * A conversation as OpenAI's models take it, wherever they are: an earlier turn of it may be another provider's. The same
 * object where nothing has to change, so that its bytes can be sent as they came.
 */
export function conversationFor(vendor: "openai" | "azure-openai"): (body: Json) => Json {
  const [accepted, shortIds] = [without(refusedBy(vendor)), withCallIds("forty-characters")];
  return (body) => shortIds(withoutSilence(accepted(body)));
}
