import { evaluation, type Host, WithMode } from "./evaluate.ts";
import { conversation, toolsIn } from "./tools.ts";

/** One evaluation under the names that it has and had. */
export const toolUse = (host: Host, id: string) =>
  evaluation(host, {
    id,
    title: "The right tools are called, and rightly",
    on: ["output"],
    params: WithMode,
    content: (input) => ({ messages: conversation(input), available_tools: toolsIn(input.call.request) }),
    checks: ({ mode }) => ({ tool_use_quality_check: true, tuq_mode: mode }),
  });
