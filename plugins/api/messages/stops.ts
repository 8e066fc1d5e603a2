import type { FinishReason } from "#contract";
import { entry } from "../content/wire.ts";

/** Anthropic's stop reasons -> the vocabulary of answers. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  compaction: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};
export const finishOf = (stopReason: string): FinishReason => entry(FINISH, stopReason) ?? "stop";

const STOP = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
} as const satisfies Record<FinishReason, string>;

/** How an answer ended, and what is in it. */
export interface Ending {
  readonly finish?: FinishReason;
  readonly native?: string | undefined;
  readonly calls: boolean;
  readonly refused: boolean;
}
/** The provider's own word where it is one of Anthropic's. Some say "stop" although they call tools; a client that loops over tools goes by this reason. */
export function stopReasonOf({ finish = "stop", native, calls, refused }: Ending): string {
  if (native !== undefined && Object.hasOwn(FINISH, native) && FINISH[native] === finish) return native;
  if (finish !== "stop") return STOP[finish];
  return calls ? "tool_use" : refused ? "refusal" : "end_turn";
}
