import type { Collected, CollectedChoice, EncodeOptions, Json } from "#contract";
import { mediaMember } from "./media.ts";
import { orderedBlocks } from "./ordered-blocks.ts";
import { usageBody } from "../content/usage.ts";

/** A folded answer -> a whole chat.completion. */
export function write(answer: Collected, options: EncodeOptions): Json {
  return {
    id: answer.id ?? options.id,
    object: "chat.completion",
    created: answer.created ?? options.created,
    model: answer.model ?? options.model,
    choices: answer.choices.map((choice, index) => ({
      ...(!options.strict && choice.beside),
      index,
      message: { ...message(choice, options.strict), ...mediaMembers(choice, answer.id ?? options.id) },
      logprobs: choice.logprobs ? { content: choice.logprobs, refusal: null } : null,
      finish_reason: finishReason(choice, options.strict),
    })),
    ...(answer.usage && { usage: usageBody(answer.usage) }),
  };
}

/** Strict answers speak OpenAI's words; others the provider's own. */
const finishReason = (choice: CollectedChoice, strict: boolean): string => (strict ? undefined : choice.native) ?? choice.finish ?? "stop";

function message(choice: CollectedChoice, strict: boolean): Json {
  const silent = choice.text === "" && (choice.tools.length > 0 || choice.refusal !== undefined);
  return {
    role: "assistant",
    content: silent ? null : choice.text,
    refusal: choice.refusal ?? null,
    ...(choice.tools.length > 0 && { tool_calls: choice.tools.map((call) => toolCall(call, strict)) }),
    ...(!strict && extras(choice)),
  };
}

function toolCall(call: CollectedChoice["tools"][number], strict: boolean): Json {
  const signature = strict || call.signature === undefined ? {} : { thought_signature: call.signature };
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments, ...signature } };
}

/** What OpenAI's form has no place for. */
function extras(choice: CollectedChoice): Json {
  const thought = choice.reasoning.map((block) => block.text).join("");
  const blocks = orderedBlocks(choice);
  return { ...(thought !== "" && { reasoning_content: thought }), ...(blocks.length > 0 && { content_blocks: blocks }) };
}

function mediaMembers({ marks = [] }: CollectedChoice, id: string): Json {
  const members = marks.flatMap((mark) => (mark.type === "media" ? [mediaMember(mark.url, { id, images: 0 }, false)] : []));
  const images = members.flatMap((member) => (Array.isArray(member["images"]) ? member["images"] : []));
  return { ...Object.assign({}, ...members), ...(images.length > 0 && { images }) };
}
