import { evaluation, type Host, Plain } from "../evaluate.ts";

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.pii",
    title: "No personal data",
    on: ["input", "output"],
    params: Plain,
    checks: () => ({ pii_check: true }),
  });
