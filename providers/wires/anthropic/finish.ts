import type { FinishReason, StreamEvent } from "#contract";

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
interface Ended {
  readonly stopReason: string | null;
  /** Tool calls begun. */
  readonly calls: number;
}
export function finish({ stopReason, calls }: Ended): StreamEvent {
  const mapped = (stopReason !== null && Object.hasOwn(FINISH, stopReason) && FINISH[stopReason]) || "stop";
  // the answer tool is the gateway's own: its client sees text and no call
  const reason = mapped === "tool_calls" && calls === 0 ? "stop" : mapped;
  return { type: "finish", reason, ...(stopReason !== null && { native: stopReason }) };
}
