import { type Dialect, type Frame, isJson, type Json, parseJson, type StreamEvent, type StreamMap } from "#contract";
import type { Try } from "./try.ts";

/*
 * How a provider's answer becomes events: by the adapter's own maps, or, where another operation serves the one that
 * was asked, by that operation's dialect. `undefined` where the answer is in the client's dialect already.
 */

type TriedAt = Pick<Try, "to" | "ask" | "body">;

export function replyMap({ to: { adapter, served }, ask }: TriedAt): ((body: Json) => readonly StreamEvent[]) | undefined {
  const { reply, response } = adapter;
  if (reply) return (body) => reply(body, ask);
  const wire = served?.wire ?? undefined;
  return wire && ((body) => wire.read(response ? response(body, ask) : body));
}

export function streamMap(it: TriedAt, dialect: Dialect): StreamMap | undefined {
  const { adapter, served } = it.to;
  if (adapter.unwrap) return unwrapped(dialect.decode, adapter.unwrap);
  if (adapter.stream || !served?.wire) return adapter.stream;
  const { decode } = served.wire;
  const correct = corrector(it);
  return correct === null ? decode : { ...decode, event: (frame, state) => decode.event({ ...frame, data: correct(frame.data) }, state) };
}

/** Reads frames that stand in frames of another format; each is taken out once. */
function unwrapped(decode: StreamMap, unwrap: (frame: Frame) => Frame): StreamMap {
  let inner: Frame = { event: "", data: "" };
  return {
    ...decode,
    event: (frame, state) => decode.event((inner = unwrap(frame)), state),
    ends: (_frame, state) => decode.ends?.(inner, state) ?? false,
  };
}

/** Applies the adapter's `chunk` to a frame's JSON; what is not JSON (a terminal marker) stays as it is. */
export function corrector({ to, ask, body }: TriedAt): ((data: string) => string) | null {
  const { chunk: map, strays } = to.adapter;
  if (!map || strays?.(body ?? {}) === false) return null;
  const memory: Json = {};
  return (data) => {
    const chunk = jsonIn(data);
    const mapped = isJson(chunk) ? map(chunk, ask, memory) : chunk;
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
