import { GatewayError, type HeaderClasses, type HeaderRecord, PASSING, type WireError } from "#contract";
import type { Answer } from "../../egress/answer.ts";
import type { Try } from "./try.ts";
import { passedAnswer } from "./passed-answer.ts";
import { refusal } from "./refusal.ts";
import { streamAnswer } from "./stream-answer.ts";
import { bodyAnswer, dialectAnswer } from "./whole-answer.ts";
import type { Content } from "../stream/content.ts";
import { passedHeaders } from "./passed-headers.ts";
import type { Secrets } from "../../kernel/secrets/redaction.ts";

/** What a provider's response means, before it is known whether it will be retried. */
export interface Reading {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly content: Content;
  readonly error: WireError | null;
  readonly model: string | null;
}

/** Reads one answer: an error, a stream with a good beginning, a whole answer, or bytes passing through. */
export function interpret(answer: Answer, it: Try, secrets: Secrets, classes: HeaderClasses): Promise<Reading> {
  const headers = passedHeaders(answer.headers, classes, secrets);
  const { dialect } = it.form;
  if (answer.status >= 400) return refusal(answer, headers, it, secrets);
  if (answer.status >= 300) return redirected(answer, it);
  if (it.call.row.id === PASSING) return passedAnswer(answer, headers, it);
  if (dialect === null) return bodyAnswer(answer, headers, it);
  return it.ask.stream ? streamAnswer(answer, headers, it, dialect) : dialectAnswer(answer, headers, it, dialect);
}

/** Its credential would go where the provider's own word alone points to. */
async function redirected(answer: Answer, it: Try): Promise<never> {
  await answer.pieces()?.cancel();
  throw new GatewayError("UPSTREAM_INVALID", { provider: it.to.id, why: "it redirects to another address, which is not followed" });
}
