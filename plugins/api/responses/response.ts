import type { Control, EchoOf, EncodeOptions, FinishReason, Json, Usage, WireError } from "#contract";
import { object, objects, text } from "../content/wire.ts";
import { charactersIn } from "./size.ts";
import { usageBody } from "./usage.ts";

/** Is an answer that the gateway makes kept? None is of a request whose bodies are not to be logged, unless it says so itself. */
export const isKept = ({ store }: Json, { debug }: Pick<Control, "debug">): boolean =>
  store === true || (store !== false && debug !== false);

/** The members of a request that its answer repeats, with what holds where nothing was said. */
export function echoOf(body: Json, of?: EchoOf): Json {
  const { background, instructions, max_output_tokens, max_tool_calls, metadata, parallel_tool_calls, previous_response_id } = body;
  const { prompt_cache_key, safety_identifier, service_tier, store, temperature, tool_choice, tools, top_logprobs, top_p, user } = body;
  return shortened({
    background: background ?? false,
    instructions: instructions ?? null,
    max_output_tokens: max_output_tokens ?? null,
    max_tool_calls: max_tool_calls ?? null,
    parallel_tool_calls: parallel_tool_calls ?? true,
    previous_response_id: previous_response_id ?? null,
    prompt_cache_key: prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...object(body.reasoning) },
    safety_identifier: safety_identifier ?? null,
    service_tier: service_tier ?? "default",
    store: of?.translated ? isKept(body, of.control) : (store ?? true),
    temperature: temperature ?? 1,
    text: { format: { type: "text" }, ...object(body.text) },
    tool_choice: tool_choice ?? "auto",
    tools: tools ?? [],
    top_logprobs: top_logprobs ?? 0,
    top_p: top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    user: user ?? null,
    metadata: metadata ?? {},
  });
}
/** Characters of what an answer repeats of its request: three events of a stream say it, each in one go. */
const MOST_REPEATED = 1024 * 1024;
/** What is longer is not repeated, as if nothing had been said: of tools their types and names are, which tell what was called. */
function shortened(echo: Json): Json {
  let left = MOST_REPEATED;
  for (const name in echo) {
    const length = charactersIn(echo[name], left);
    if (length <= left) left -= length;
    else
      echo[name] = name === "tools" ? objects(echo[name]).map(({ type, name: called }) => ({ type, name: called })) : NOTHING_ASKED[name];
  }
  return echo;
}
const NOTHING_ASKED = Object.freeze(echoOf({}));

/** The client's custom tools, by their names. */
export const customToolsIn = ({ echo }: EncodeOptions): ReadonlySet<string> =>
  new Set(objects(echo?.tools).flatMap(({ type, name }) => (type === "custom" && typeof name === "string" ? [name] : [])));

/** What an answer is known by from its beginning on. */
export interface ResponseHead {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly echo: Json;
}
/** What the provider says of itself; the id of an answer that another operation gave is the gateway's. */
export function headOf({ id, model, created }: Partial<ResponseHead>, options: EncodeOptions): ResponseHead {
  const own = options.translated ? undefined : id;
  return {
    id: own ?? `resp_gw_${seedOf(options)}`,
    model: model ?? options.model,
    created: created ?? options.created,
    echo: options.echo ?? NOTHING_ASKED,
  };
}
/** What the ids of an answer and its items are made of. */
export const seedOf = ({ id }: EncodeOptions): string => id.replaceAll("-", "");

/** Everything of an answer but what it was asked for. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly Json[];
  readonly usage?: Usage | undefined;
  readonly finish?: FinishReason | undefined;
  readonly error?: WireError;
}
export const responseBody = (
  { id, model, created, echo }: ResponseHead,
  { status, output, usage, finish, error }: ResponseState,
): Json => ({
  id,
  object: "response",
  created_at: created,
  status,
  error: error ? { code: text(error.code) ?? "server_error", message: error.message } : null,
  incomplete_details: status === "incomplete" ? { reason: INCOMPLETE[finish ?? "stop"] ?? null } : null,
  model,
  output,
  ...echo,
  usage: usage ? usageBody(usage) : null,
});

/** Why an answer is not complete; the other ends are good ones. */
const INCOMPLETE: { readonly [R in FinishReason]?: string } = { length: "max_output_tokens", content_filter: "content_filter" };
export const statusOf = (finish: FinishReason | undefined): "completed" | "incomplete" =>
  finish !== undefined && finish in INCOMPLETE ? "incomplete" : "completed";
/** The same read from an answer. */
export function finishOf(incompleteDetails: unknown, calls: boolean): FinishReason {
  const { reason } = object(incompleteDetails);
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "content_filter";
  return calls ? "tool_calls" : "stop";
}
