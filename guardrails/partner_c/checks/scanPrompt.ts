import { type Host, scan } from "../scan.ts";

export default (host: Host) =>
  scan(host, {
    id: "partner_c.scanPrompt",
    title: "Scan the request",
    side: "input",
    path: "prompt",
    wants: ["text", "tool_call", "tool_result"],
  });
