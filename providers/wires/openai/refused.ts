/**
 * THE table of what vendors of the OpenAI wire refuse: members for which they turn a whole request down (400 or 422).
 * They are left out of requests to that vendor, and to no other. What a vendor ignores is not here: it travels, and so
 * does what a vendor refuses and an answer without it would be wrong (`audio`, `stop`): its refusal names the member. Where
 * the vendor would ignore such a member, its manifest says what it `lacks`.
 *
 * Vendor -> place -> members. A place is a path from the body, through lists: `messages.tool_calls.function` is the
 * function of each call of each message, `messages[user]` each message of that role; the body itself is BODY.
 */
export type RefusedMembers = Readonly<Record<string, readonly string[]>>;
export const BODY = "";

/**
 * What no vendor has written, and a client sends back: the gateway's own members for providers of another wire, and what
 * the official client's helpers note beside a message (`parsed`).
 */
const OF_NO_VENDOR: RefusedMembers = {
  messages: ["content_blocks", "parsed"],
  "messages.tool_calls.function": ["thought_signature", "parsed_arguments"],
};
/** What vendors write into answers, each its own, and a client sends back. */
const OF_OTHER_VENDORS = ["reasoning_content", "reasoning_details"] as const;
const CACHE_MARKS: RefusedMembers = { "messages.content": ["cache_control"], tools: ["cache_control"] };

const OPENAI: RefusedMembers = {
  [BODY]: ["thinking", "anthropic_beta"],
  messages: [...OF_OTHER_VENDORS, "reasoning"],
  "messages.tool_calls": ["index", "extra_content"],
  ...CACHE_MARKS,
};

export const REFUSED: Readonly<Record<string, RefusedMembers>> = {
  openai: OPENAI,
  "azure-openai": OPENAI,
  "mistral-ai": {
    [BODY]: [
      ...["stream_options", "user", "logit_bias", "logprobs", "top_logprobs", "store", "service_tier", "verbosity", "modalities"],
      ...["safety_identifier", "prompt_cache_key", "prompt_cache_retention", "thinking", "anthropic_beta"],
    ],
    messages: [...OF_OTHER_VENDORS, "reasoning", "refusal", "annotations", "audio", "function_call"],
    "messages[system]": ["name"],
    "messages[user]": ["name"],
    "messages[assistant]": ["name"],
    "messages.tool_calls": ["extra_content"],
    ...CACHE_MARKS,
  },
  groq: {
    [BODY]: ["logprobs", "top_logprobs", "logit_bias", "store", "thinking", "anthropic_beta"],
    messages: [...OF_OTHER_VENDORS, "refusal", "annotations", "audio", "function_call"],
    "messages.tool_calls": ["extra_content"],
    ...CACHE_MARKS,
  },
  cerebras: { [BODY]: ["frequency_penalty", "presence_penalty"], messages: [...OF_OTHER_VENDORS] }, // its own word is `reasoning`
  dashscope: { [BODY]: ["frequency_penalty"] },
  moonshot: { [BODY]: ["seed", "top_k"], "response_format.json_schema.schema": ["$schema"] },
  "perplexity-ai": { [BODY]: ["seed"] },
  sambanova: {
    [BODY]: [...["presence_penalty", "frequency_penalty", "logit_bias", "user", "seed", "logprobs", "top_logprobs"]],
  },
  "x-ai": { [BODY]: ["presence_penalty", "frequency_penalty"] }, // its newer models do
};

/** Any server may be behind it, one of these gateways too: nothing is left out on a guess. */
const ANY_SERVER = "openai-compatible";
export const isAnyServer = (vendor: string): boolean => vendor === ANY_SERVER;

/** All that one vendor is not sent; of one that is not in the table, what no vendor has written. */
export function refusedBy(vendor: string): RefusedMembers {
  if (isAnyServer(vendor)) return {};
  const own = Object.hasOwn(REFUSED, vendor) ? (REFUSED[vendor] ?? {}) : {};
  const places = [...new Set([...Object.keys(OF_NO_VENDOR), ...Object.keys(own)])];
  return Object.fromEntries(places.map((place) => [place, [...(OF_NO_VENDOR[place] ?? []), ...(own[place] ?? [])]]));
}
