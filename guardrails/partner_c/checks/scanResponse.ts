import { type Host, scan } from "../scan.ts";

export default (host: Host) =>
  scan(host, {
    id: "partner_c.scanResponse",
    title: "Scan the answer",
    side: "output",
    path: "response",
    wants: ["text", "tool_call", "reasoning"],
  });
