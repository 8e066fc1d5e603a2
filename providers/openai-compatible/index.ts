import { OPERATION_IDS } from "#contract";
import { interpret } from "./interpret.ts";
import manifest from "./manifest.json" with { type: "json" };

export { interpret };

/** Any OpenAI-compatible server, at a custom host; its answer says what it does not serve. */
export default interpret({ ...manifest, kind: "provider", declare: { operations: OPERATION_IDS } });
