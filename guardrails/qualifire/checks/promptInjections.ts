import { evaluation, type Host, Plain } from "../evaluate.ts";

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.promptInjections",
    title: "No prompt injection",
    on: ["input"],
    params: Plain,
    checks: () => ({ prompt_injections: true }),
  });
