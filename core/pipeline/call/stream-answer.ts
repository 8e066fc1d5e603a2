import { type ByteSource, type Dialect, GatewayError, type HeaderRecord, type StreamMap } from "#contract";
import type { Answer } from "../../egress/answer.ts";
import { TRANSLATED } from "../../json/long-json.ts";
import { asStream } from "./as-stream.ts";
import { goodBeginning } from "../stream/beginning.ts";
import { decoded, translated } from "../stream/arriving-chunks.ts";
import { opened } from "../stream/opening.ts";
import type { PassThrough } from "../stream/pass-through.ts";
import { corrector, streamMap } from "./answer-maps.ts";
import type { Try } from "./try.ts";
import type { Reading } from "./interpret.ts";
import { framing } from "./sending.ts";
import { jsonOf } from "./whole-answer.ts";
import type { GoodStream } from "../stream/content.ts";

/* Nothing is promised to the client before the first event of a stream is known to be good. */

/** A stream, or the whole answer that some give all the same: by its first bytes, where its type does not tell. */
export async function streamAnswer(answer: Answer, headers: HeaderRecord, it: Try, dialect: Dialect): Promise<Reading> {
  const reader = answer.pieces();
  if (!reader) throw new GatewayError("STREAM_EMPTY", { provider: it.to.id });
  headers["content-type"] = "text/event-stream; charset=utf-8";
  try {
    const { map, format } = { map: streamMap(it, dialect), format: framing(it) };
    const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
    const opening = isJson || format === "json-lines" ? await opened(reader, format === "json-lines" ? map : undefined, it.to.id) : null;
    const stream =
      opening?.whole === undefined
        ? await streaming(opening?.pieces ?? reader, map, it, dialect)
        : asStream(await jsonOf(opening.whole, it.to.id, TRANSLATED), it, dialect);
    return {
      status: opening?.whole === undefined ? answer.status : 200,
      headers,
      content: { kind: "stream", stream },
      error: null,
      model: null,
    };
  } catch (thrown) {
    await reader.cancel(); // nobody will read the rest
    throw thrown;
  }
}

const streaming = (reader: ByteSource, map: StreamMap | undefined, it: Try, dialect: Dialect): Promise<GoodStream> =>
  map ? translatedSource(reader, map, it, dialect) : passingSource(reader, it, dialect);

async function passingSource(reader: ByteSource, it: Try, dialect: Dialect): Promise<GoodStream> {
  const { first, reader: rest, events: openingEvents } = await goodBeginning(reader, dialect.decode, it.to.id);
  const correct = corrector(it);
  const passing: PassThrough = {
    reader: rest,
    first,
    openingEvents,
    dialect,
    provider: it.to.id,
    encode: it.form.encode,
    hideUsage: !it.form.encode.usage,
    correct,
  };
  if (!correct) return { kind: "passing", passing };
  return { kind: "chunks", chunks: decoded(passing), encoder: dialect.encode(it.form.encode), provider: it.to.id };
}

async function translatedSource(reader: ByteSource, map: StreamMap, it: Try, dialect: Dialect): Promise<GoodStream> {
  const encoder = dialect.encode(it.form.encode);
  const chunks = await translated({ reader, map, format: framing(it), encoder, provider: it.to.id });
  return { kind: "chunks", chunks, encoder, provider: it.to.id };
}
