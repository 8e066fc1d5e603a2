import type { OperationRoute } from "#contract";
import { RESPONSE } from "../content/index.ts";
import { Response200, ResponsesBody } from "./body.ts";
import { owned } from "./owned.ts";

/** `POST /v1/responses`. */
export const createResponse: OperationRoute = {
  operation: "createModelResponse",
  content: RESPONSE,
  owned,
  body: ResponsesBody,
  reply: Response200,
  examples: {
    "A question": { model: "echo", input: "Hello" },
    "The answer as a stream": { model: "echo", stream: true, input: [{ role: "user", content: "Hello" }] },
  },
  description:
    'OpenAI\'s Responses API, over any provider: natively where the provider has it, else by its chat completions. With `"stream": true` the answer is server-sent events from `response.created` to `response.completed`, `response.incomplete` or `response.failed`.',
};
