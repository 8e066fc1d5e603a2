import type { Host } from "../evaluate.ts";
import { toolUse } from "../tool-use.ts";

export default (host: Host) => toolUse(host, "qualifire.toolUseQuality");
