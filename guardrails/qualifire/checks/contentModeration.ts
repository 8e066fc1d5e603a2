import { evaluation, type Host, Plain } from "../evaluate.ts";

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.contentModeration",
    title: "No harmful content",
    on: ["input", "output"],
    params: Plain,
    checks: () => ({ content_moderation_check: true }),
  });
