import {
  type Dialect,
  type EncodeOptions,
  GatewayError,
  type HeaderClasses,
  isJson,
  type Json,
  messageOf,
  parseJson,
  type StreamMap,
  type Usage,
  type WireError,
} from "#contract";
import type { Answer } from "../../egress/answer.ts";
import type { HeaderRecord } from "../../egress/header.ts";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { asStream } from "../stream/as-stream.ts";
import { goodBeginning } from "../stream/beginning.ts";
import { closing } from "../stream/closing.ts";
import { collect } from "../stream/fold.ts";
import { CONVERSATION, isLong, type JsonLimits, parsedLong, TRANSLATED, VECTORS } from "../../json/long-json.ts";
import { type Exchange, framing } from "./sending.ts";
import { type Chunk, decoded, translated } from "../stream/chunks.ts";
import type { Chunks } from "../stream/live.ts";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { opened } from "../stream/opening.ts";
import { refusal } from "./refusal.ts";
import type { Passing } from "../stream/pass-through.ts";
import { type Content, passedHeaders, type Source } from "../reply.ts";
import type { Secrets } from "./secrets-sent.ts";
import { writtenInTurns } from "../../json/written.ts";

/** What a provider's response means, before it is known whether it will be retried. */
export interface Reading {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly content: Content;
  readonly error: WireError | null;
  readonly model: string | null;
}

/** The client's side of the exchange: its dialect, when the operation has one, and how to write it. */
export interface ClientForm {
  readonly dialect: Dialect | null;
  readonly encode: EncodeOptions;
  readonly flatErrors: boolean;
}

/** Reads one answer: an error, a stream with a good beginning, a whole answer, or bytes passing through. */
export function interpret(answer: Answer, it: Exchange, secrets: Secrets, form: ClientForm, classes: HeaderClasses): Promise<Reading> {
  const headers = passedHeaders(answer.headers, classes, secrets);
  if (answer.status >= 400) return refusal(answer, headers, it, secrets, form);
  if (answer.status >= 300) return redirected(answer, it);
  if (form.dialect === null) return plain(answer, headers, it);
  if (!it.ask.stream) return conversation(answer, headers, it, form.dialect, form);
  return streamAnswer(answer, headers, it, form.dialect, form);
}

/** Its credential would go where the provider's own word alone points to. */
async function redirected(answer: Answer, it: Exchange): Promise<never> {
  await answer.pieces()?.cancel();
  throw new GatewayError("UPSTREAM_INVALID", { provider: it.to.id, why: "it redirects to another address, which is not followed" });
}

/* ── whole answers ───────────────────────────────────────────────────────────────────────────────────────────── */

/** At once, unless it is long. */
function jsonOf(text: string, provider: string, limits = CONVERSATION): MaybePromise<Json> {
  if (isLong(text)) return longJsonOf(text, provider, limits);
  try {
    return objectOf(parseJson(text), provider);
  } catch (thrown) {
    throw notJson(thrown, provider);
  }
}

async function longJsonOf(text: string, provider: string, limits: JsonLimits): Promise<Json> {
  const body = await parsedLong(text, limits).catch((thrown: unknown) => {
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

async function conversation(answer: Answer, headers: HeaderRecord, it: Exchange, dialect: Dialect, form: ClientForm): Promise<Reading> {
  const text = await answer.text();
  const read = jsonOf(text, it.to.id, it.to.adapter.reply ? TRANSLATED : CONVERSATION);
  const body = read instanceof Promise ? await read : read;
  entering(markOfOwner(it.to.provider));
  const reply = it.to.adapter.reply;
  if (!reply) return passedOn(text, body, headers, answer.status, it, dialect);
  const said = collect(reply(body, it.ask));
  const written = dialect.write(said, form.encode);
  headers["content-type"] = "application/json";
  return {
    status: answer.status,
    headers,
    content: {
      kind: "whole",
      text: isLong(text) ? await writtenInTurns(written) : JSON.stringify(written),
      body: written,
      usage: said.usage ?? null,
    },
    error: null,
    model: said.model ?? null,
  };
}

function passedOn(text: string, body: Json, headers: HeaderRecord, status: number, { to, ask }: Exchange, dialect: Dialect): Reading {
  const own = to.adapter.response ? to.adapter.response(body, ask) : body;
  const model = typeof own["model"] === "string" ? own["model"] : null;
  return {
    status,
    headers,
    content: { kind: "whole", text: own === body ? text : JSON.stringify(own), body: own, usage: usageIn(own, dialect) },
    error: null,
    model,
  };
}

function usageIn(body: Json, dialect: Dialect): Usage | null {
  if (dialect.usage) return dialect.usage(body) ?? null;
  return collect(dialect.read(body)).usage ?? null;
}

async function plain(answer: Answer, headers: HeaderRecord, it: Exchange): Promise<Reading> {
  const { adapter } = it.to;
  const base = { status: answer.status, headers, error: null };
  const json = answer.headers.get("content-type")?.includes("json") ?? false;
  if (!json) return { ...base, content: { kind: "bytes", stream: answer.pieces() }, model: null };
  const text = await answer.text();
  const read = jsonOf(text, it.to.id, it.call.operation === "embed" ? VECTORS : CONVERSATION);
  const body = read instanceof Promise ? await read : read;
  const mapped = adapter.response ? adapter.response(body, it.ask) : body;
  const model = typeof mapped["model"] === "string" ? mapped["model"] : null;
  return {
    ...base,
    content: { kind: "whole", text: mapped === body ? text : JSON.stringify(mapped), body: mapped, usage: adapter.usage?.(body) ?? null },
    model,
  };
}

/* ── streams: nothing is promised to the client before the first event is known to be good ─────────────────── */

/** A stream, or the whole answer that some give all the same: by its first bytes, where its type does not tell. */
async function streamAnswer(answer: Answer, headers: HeaderRecord, it: Exchange, dialect: Dialect, form: ClientForm): Promise<Reading> {
  const reader: Chunks | null = answer.pieces();
  if (!reader) throw new GatewayError("STREAM_EMPTY", { provider: it.to.id });
  headers["content-type"] = "text/event-stream; charset=utf-8";
  try {
    const { map, format } = { map: it.to.adapter.stream, format: framing(it) };
    const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
    const opening = isJson || format === "json-lines" ? await opened(reader, format === "json-lines" ? map : undefined, it.to.id) : null;
    const source =
      opening?.whole === undefined
        ? await streaming(opening?.pieces ?? reader, it, dialect, form)
        : asStream(await jsonOf(opening.whole, it.to.id, TRANSLATED), it, dialect, form);
    return {
      status: opening?.whole === undefined ? answer.status : 200,
      headers,
      content: { kind: "stream", source },
      error: null,
      model: null,
    };
  } catch (thrown) {
    await reader.cancel().catch(() => undefined); // nobody will read the rest
    throw thrown;
  }
}

const streaming = (reader: Chunks, it: Exchange, dialect: Dialect, form: ClientForm): Promise<Source> =>
  it.to.adapter.stream ? translatedSource(reader, it.to.adapter.stream, it, dialect, form) : passingSource(reader, it, dialect, form);

async function passingSource(reader: Chunks, it: Exchange, dialect: Dialect, form: ClientForm): Promise<Source> {
  const { first, reader: rest, said } = await goodBeginning(reader, dialect.decode, it.to.id);
  const correct = corrector(it);
  const passing: Passing = {
    reader: rest,
    first,
    said,
    dialect,
    provider: it.to.id,
    encode: form.encode,
    hideUsage: !form.encode.usage,
    correct,
  };
  if (!correct) return { kind: "passing", passing };
  return {
    kind: "chunks",
    chunks: closing(decoded(passing), () => rest.cancel()),
    encoder: dialect.encode(form.encode),
    provider: it.to.id,
  };
}

/** Applies the adapter's `chunk` to a frame's JSON; what is not JSON (a terminal marker) stays as it is. */
function corrector({ to, ask }: Exchange): Passing["correct"] {
  const map = to.adapter.chunk;
  if (!map) return null;
  return (data) => {
    const chunk = jsonIn(data);
    const mapped = isJson(chunk) ? map(chunk, ask) : chunk;
    return mapped === chunk ? data : JSON.stringify(mapped);
  };
}

function jsonIn(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined;
  }
}

async function translatedSource(reader: Chunks, map: StreamMap, it: Exchange, dialect: Dialect, form: ClientForm): Promise<Source> {
  const encoder = dialect.encode(form.encode);
  const chunks = translated({ reader, map, format: framing(it), encoder, provider: it.to.id });
  const first = await chunks.next();
  if (first.done) throw new GatewayError("STREAM_EMPTY", { provider: it.to.id });
  return {
    kind: "chunks",
    chunks: closing(withFirst(first.value, chunks), () => chunks.return(undefined)),
    encoder,
    provider: it.to.id,
  };
}

async function* withFirst(first: Chunk, rest: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined); // also when nobody read beyond the first
  }
}
