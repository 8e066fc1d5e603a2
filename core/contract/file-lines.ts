import type { Json } from "./json.ts";
import type { OperationId } from "./operation.ts";

/** Of an operation that sends files: those whose lines are requests of their own, as a batch's are. Guardrails judge each. */
export interface RequestLines {
  /** The form's part that is the file. */
  readonly part: string;
  /** The text field that says what the file is for, and its value where the lines are requests. */
  readonly field: string;
  readonly value: string;
  /** What a line asks: the path of an operation, below the data plane's prefix or without it, and its body. `undefined` where it is no request. */
  request(line: Json): LineRequest | undefined;
  /** The line, asking with another body. */
  withBody(line: Json, body: Json): Json;
}
export interface LineRequest {
  readonly path: string;
  readonly body: Json;
}

/** Of an operation that gives files: those whose lines are answers, as a batch's are. Guardrails judge each; what is no JSON passes. */
export interface AnswerLines {
  /** Which operation's answer a line holds; `null` where it is known to hold none, `undefined` where its form is not known. */
  answer(line: Json): { readonly operation: OperationId; readonly body: Json } | null | undefined;
  withBody(line: Json, body: Json): Json;
}
