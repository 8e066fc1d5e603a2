import {
  type Dialect,
  GatewayError,
  type HeaderRecord,
  isJson,
  type Json,
  type JsonText,
  type MaybePromise,
  messageOf,
  nextTurn,
  parseJson,
  type Usage,
} from "#contract";
import type { Answer } from "../../egress/answer.ts";
import { CONVERSATION, isLong, type JsonLimits, TRANSLATED, upstreamJson, VECTORS } from "../../json/long-json.ts";
import { written } from "../../json/written.ts";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { collect } from "../stream/fold.ts";
import type { Try } from "./try.ts";
import { replyMap } from "./answer-maps.ts";
import { goodBytes } from "./good-bytes.ts";
import type { Reading } from "./interpret.ts";
import type { Content } from "../stream/content.ts";

/** At once, unless it is long. */
export function jsonOf(text: JsonText, provider: string, limits = CONVERSATION): MaybePromise<Json> {
  if (typeof text !== "string" || isLong(text)) return longJsonOf(text, provider, limits);
  try {
    return objectOf(parseJson(text), provider);
  } catch (thrown) {
    throw notJson(thrown, provider);
  }
}

async function longJsonOf(text: JsonText, provider: string, limits: JsonLimits): Promise<Json> {
  const body = await upstreamJson(text, limits).catch((thrown: unknown) => {
    throw notJson(thrown, provider);
  });
  return objectOf(body, provider);
}

function objectOf(body: unknown, provider: string): Json {
  if (isJson(body)) return body;
  throw new GatewayError("UPSTREAM_INVALID", { provider, why: "the body is not a JSON object" });
}
const notJson = (thrown: unknown, provider: string): GatewayError =>
  GatewayError.is(thrown) ? thrown : new GatewayError("UPSTREAM_INVALID", { provider, why: messageOf(thrown) }, { cause: thrown });

/** A whole answer in the client's dialect, or made into it. */
export async function dialectAnswer(answer: Answer, headers: HeaderRecord, it: Try, dialect: Dialect): Promise<Reading> {
  const text = await answer.text();
  const reply = replyMap(it);
  const body = await jsonOf(text, it.to.id, reply ? TRANSLATED : CONVERSATION);
  entering(markOfOwner(it.to.provider));
  if (!reply) return passedOn({ text, body, headers, status: answer.status }, it, dialect);
  const folded = collect(reply(body));
  if (isLong(text)) {
    await nextTurn();
    entering(markOfOwner(it.to.provider));
  }
  const translated = dialect.write(folded, it.form.encode);
  headers["content-type"] = "application/json";
  return {
    status: answer.status,
    headers,
    content: {
      kind: "whole",
      text: await written(translated, text),
      body: translated,
      usage: folded.usage ?? null,
    },
    error: null,
    model: folded.model ?? null,
  };
}

interface WholeAnswer {
  readonly text: JsonText;
  readonly body: Json;
  readonly headers: HeaderRecord;
  readonly status: number;
}
async function passedOn({ text, body, headers, status }: WholeAnswer, { to, ask, call }: Try, dialect: Dialect): Promise<Reading> {
  const own = to.adapter.response ? to.adapter.response(body, ask) : body;
  const content: Content = {
    kind: "whole",
    text: own === body ? text : await written(own, text),
    body: own,
    usage: usageIn(own, dialect, call.row.passes !== undefined),
  };
  return { status, headers, content, error: null, model: modelIn(own) };
}
export const modelIn = ({ model }: Json): string | null => (typeof model === "string" ? model : null);

/** What passes may be answered in a form of its own, which is nobody's failure. */
function usageIn(body: Json, dialect: Dialect, passes: boolean): Usage | null {
  try {
    if (dialect.usage) return dialect.usage(body) ?? null;
    return collect(dialect.read(body)).usage ?? null;
  } catch (thrown) {
    if (passes && thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** The answer of an operation without a dialect: a JSON body, or bytes on their way through. */
export async function bodyAnswer(answer: Answer, headers: HeaderRecord, it: Try): Promise<Reading> {
  const { adapter } = it.to;
  const { content } = it.call.row;
  const base = { status: answer.status, headers, error: null };
  const type = answer.headers.get("content-type") ?? "";
  const isEvents = type.includes("event-stream");
  if (content.file === "answered" || isEvents || !(content.json || type.includes("json"))) {
    const bytes = content.file === "answered" ? answer.pieces() : await goodBytes(answer.pieces(), type, it);
    return { ...base, content: { kind: "bytes", bytes, usageAtEnd: isEvents ? content.usageAtEnd : undefined }, model: null };
  }
  const text = await answer.text();
  const body = await jsonOf(text, it.to.id, content.vectors ? VECTORS : CONVERSATION);
  const own = adapter.response ? adapter.response(body, it.ask) : body;
  const failure = content.failed?.(own);
  if (failure) throw failure;
  const whole = it.to.served?.whole;
  const asked = inClientsForm(whole ? whole.answer(own) : own, it);
  const mapped = content.asAsked && it.call.body.kind === "json" ? await content.asAsked(asked, it.call.body.value) : asked;
  const usage = (adapter.usage ?? whole?.usage ?? content.usage)?.(body) ?? null;
  return {
    ...base,
    content: { kind: "whole", text: mapped === body ? text : await written(mapped, text), body: mapped, usage },
    model: modelIn(mapped),
  };
}

/** As the operation's plugin has it; what only passes is its provider's own. */
function inClientsForm(answer: Json, { call, to }: Try): Json {
  const { answered, passes } = call.row;
  return answered && passes === undefined ? answered(answer, { call, provider: to.id }) : answer;
}
