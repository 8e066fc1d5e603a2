import { GatewayError, type Json, type ServedTo } from "#contract";
import { object, objects, text } from "../../content/wire.ts";
import { formatOf, given, travelling } from "../served/request.ts";
import { partsOf, textOf } from "../served/blocks.ts";
import { itemsOf } from "./items.ts";
import { responseTools } from "./tools.ts";

/** Members of the Responses API that messages say otherwise or not at all: they may hold texts that no guardrail reads, and ids that nobody has judged. */
// biome-ignore format: a list, several a line
const OF_RESPONSES: ReadonlySet<string> = new Set([
  "input", "instructions", "max_output_tokens", "text", "reasoning", "include", "store", "background", "previous_response_id", "conversation",
  "prompt", "parallel_tool_calls", "max_tool_calls", "stream_options",
]);

/** A message request as the response that asks the same. Nothing of it is kept: the client has the whole conversation. */
export function responseRequest(body: Json, to: ServedTo): Json {
  if (hasStops(body)) throw noStops();
  const others = Object.entries(travelling(body)).filter(([member]) => !OF_RESPONSES.has(member));
  const format = formatOf(body);
  return {
    ...Object.fromEntries(others),
    ...given("instructions", text(textOf(partsOf(body.system ?? "", PLAIN)))),
    input: objects(body.messages).flatMap((message) => itemsOf(message, to)),
    ...given("max_output_tokens", body.max_tokens),
    ...responseTools(body),
    ...given("user", object(body.metadata).user_id),
    ...(format && { text: { format: { type: format.type, ...object(format.json_schema) } } }),
    ...thinkingOf(body, to),
    store: false,
  };
}
/** Its wire has no marks for the prompt cache. */
const PLAIN: ServedTo = { mapped: false };

/** The fewest tokens that the Responses API may be asked for (seen 2025-03). */
const FEWEST_TOKENS = 16;
/** It has no stop sequences either. */
export const suits = (body: Json): boolean => !hasStops(body) && !(Number(body.max_tokens) < FEWEST_TOKENS);
const hasStops = ({ stop_sequences: stops }: Json): boolean => Array.isArray(stops) && stops.length > 0;
const noStops = (): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: "The model is served by its provider's Responses API alone, which has no counterpart to the member stop_sequences." },
    { param: "stop_sequences" },
  );

/** Thoughts come where they are asked for, with what the provider wants back in the next turn. */
function thinkingOf({ thinking, output_config }: Json, { thinks }: ServedTo): Json {
  if (thinks === false) return {};
  const effort = given("effort", text(object(output_config).effort));
  const { type, display } = object(thinking);
  if (type !== "enabled" && type !== "adaptive") return "effort" in effort ? { reasoning: effort } : {};
  const summary = display === "omitted" ? {} : { summary: "auto" };
  return { reasoning: { ...effort, ...summary }, include: ["reasoning.encrypted_content"] };
}
