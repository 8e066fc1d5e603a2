import { evaluation, type Host, WithMode } from "../evaluate.ts";

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.grounding",
    title: "The answer rests on what was given",
    on: ["output"],
    params: WithMode,
    checks: ({ mode }) => ({ grounding_check: true, grounding_mode: mode }),
  });
