import { type Dialect, type Encoder, GatewayError, type Json, piecesOf, type StreamEvent, UpstreamFailure } from "#contract";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import type { Chunk } from "../stream/chunks.ts";
import { Finishes } from "../stream/fold.ts";
import type { Try } from "./try.ts";
import { replyMap } from "./answer-maps.ts";
import { extraIn, usualError } from "./provider-error.ts";
import { InTurns } from "../stream/in-turns.ts";
import type { GoodStream } from "../stream/content.ts";

/** A provider that answers whole although a stream was asked for: its answer is streamed all the same. */
export function asStream(body: Json, it: Try, dialect: Dialect): GoodStream {
  const encoder = dialect.encode(it.form.encode);
  return { kind: "chunks", chunks: new InTurns(replay(wholeAnswer(body, it, dialect), encoder)), encoder, provider: it.to.id };
}

/** The events of a whole answer that has its end; a refusal in its place is the provider's error. */
function wholeAnswer(body: Json, it: Try, dialect: Dialect): readonly StreamEvent[] {
  const reply = replyMap(it);
  const finishes = new Finishes();
  try {
    const events = reply ? reply(body) : dialect.read(body);
    for (const event of events) finishes.add(event);
    if (finishes.all) return events;
  } catch (thrown) {
    throw UpstreamFailure.is(thrown) ? thrown : (refusalIn(body, it) ?? thrown);
  }
  throw refusalIn(body, it) ?? new GatewayError("STREAM_INCOMPLETE", { provider: it.to.id });
}

/** The error that a body tells of, in the provider's form or in the usual one. */
function refusalIn(body: Json, { to }: Try): UpstreamFailure | undefined {
  entering(markOfOwner(to.provider));
  const refusal = [to.provider.error?.(STREAM_REFUSED, body), usualError(body)].find((error) => error?.message !== undefined);
  if (refusal?.message === undefined) return undefined;
  const { message, type = "api_error", param = null, code = null } = refusal;
  return new UpstreamFailure(STREAM_REFUSED, { message, type, param, code, ...extraIn(body) });
}
/** The status of an error that came under a good one. */
const STREAM_REFUSED = 502;

/** Characters of a text that are written down in one go. */
const PART = 256 * 1024;

/** A long text in parts, as a stream would have brought it. */
function* partsOf(event: StreamEvent): Generator<StreamEvent> {
  if (event.type !== "text" || event.text.length <= PART) return yield event;
  const { begins, ...text } = event;
  let first = true;
  for (const part of piecesOf(event.text, PART)) {
    yield { ...text, text: part, ...(first && begins && { begins }) };
    first = false;
  }
}

function* replay(events: readonly StreamEvent[], encoder: Encoder): Generator<Chunk, undefined> {
  for (const event of events) for (const part of partsOf(event)) yield { wire: encoder.event(part), events: [part] };
  yield { wire: encoder.end(), events: [] };
}
