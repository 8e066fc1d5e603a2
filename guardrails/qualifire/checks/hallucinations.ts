import { evaluation, type Host, WithMode } from "../evaluate.ts";

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.hallucinations",
    title: "The answer makes nothing up",
    on: ["output"],
    params: WithMode,
    checks: ({ mode }) => ({ hallucinations_check: true, hallucinations_mode: mode }),
  });
