import type { Host } from "../evaluate.ts";
import { toolUse } from "../tool-use.ts";

/** Its earlier name, which saved guardrails carry. */
export default (host: Host) => toolUse(host, "qualifire.toolSelectionQuality");
