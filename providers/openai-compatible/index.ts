import { OPERATION_IDS, type OperationId } from "#contract";
import { interpret } from "./interpret.ts";
import manifest from "./manifest.json" with { type: "json" };

export { interpret };

/** Operations of other vendors' APIs, and one that few servers have: here they are served by translation. */
const TRANSLATED: ReadonlySet<string> = new Set<OperationId>([
  "messages",
  "messagesCountTokens",
  "createModelResponse",
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
]);

/** Any OpenAI-compatible server, at a custom host; its answer says what it does not serve. */
export default interpret({ ...manifest, kind: "provider", declare: { operations: OPERATION_IDS.filter((id) => !TRANSLATED.has(id)) } });
