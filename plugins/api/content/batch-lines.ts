import { type AnswerLines, isJson, type Json, type OperationId, type RequestLines } from "#contract";
import { objectIn } from "./ids.ts";

/** The requests of a batch: `{"custom_id": …, "method": "POST", "url": "/v1/chat/completions", "body": {…}}`, one a line. */
export const BATCH_LINES: RequestLines = {
  part: "file",
  field: "purpose",
  value: "batch",
  request: ({ url, body }) => (typeof url === "string" && isJson(body) ? { path: url, body } : undefined),
  withBody: (line, body) => ({ ...line, body }),
};

const OPERATIONS: Readonly<Record<string, OperationId>> = { response: "createModelResponse", text_completion: "complete" };
const operationOf = ({ object }: Json): OperationId => (typeof object === "string" ? OPERATIONS[object] : undefined) ?? "chatComplete";

/**
 * Its answers, one a line: `{"custom_id": …, "response": {"status_code": 200, "body": {…}}}`, or in Anthropic's form
 * `{"custom_id": …, "result": {"type": "succeeded", "message": {…}}}`. A line that holds both is known as neither.
 */
export const BATCH_ANSWERS: AnswerLines = {
  answer(line) {
    const [{ body }, { message }] = [objectIn(line, "response"), objectIn(line, "result")];
    if (isJson(body)) return isJson(message) ? undefined : { operation: operationOf(body), body };
    if (isJson(message)) return { operation: "messages", body: message };
    return failed(line) || BATCH_LINES.request(line) ? null : undefined;
  },
  withBody: (line, body) =>
    isJson(objectIn(line, "response")["body"])
      ? { ...line, response: { ...objectIn(line, "response"), body } }
      : { ...line, result: { ...objectIn(line, "result"), message: body } },
};

const NO_ANSWER: readonly unknown[] = ["errored", "canceled", "expired"];
/** Of a request that was not answered, its line says why. */
const failed = (line: Json): boolean =>
  (isJson(line["error"]) && (line["response"] ?? null) === null) || NO_ANSWER.includes(objectIn(line, "result")["type"]);
