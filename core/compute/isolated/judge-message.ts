import type { CheckCall, CheckInput, Json } from "#contract";
import { writtenWithin } from "../../json/written.ts";
import { bytesFrames, chunksOf, framesOfBytes, textFrames } from "../frames.ts";
import { pieceOf } from "../segments.ts";
import type { Attached } from "./messages.ts";
import { type BodyState, MAX_SHOWN_BODY_BYTES, type ShownCall, type ToPack } from "./wire.ts";

/** What a check is sent of its request. */
export async function judgeMessage(
  job: number,
  check: string,
  input: CheckInput<unknown>,
): Promise<{ readonly head: ToPack; readonly attached: readonly Attached[] }> {
  const { params, side, now, timeoutMs, text, segments, call } = input;
  const request = await shownBody(call.request);
  const response = await shownBody(call.response);
  const head: ToPack = {
    kind: "judge",
    job,
    check,
    side,
    now,
    timeoutMs,
    params,
    pieces: segments.map(pieceOf),
    call: shownCall(call, request.state, response.state),
  };
  return { head, attached: [{ frames: textFrames(text), count: chunksOf(text) }, request.attached, response.attached] };
}

function shownCall(call: CheckCall, request: BodyState, response: BodyState): ShownCall {
  const { requestType, provider, model, traceId, metadata, streamed, status, passing } = call;
  const headers = Object.fromEntries(call.headerNames().map((name) => [name, call.header(name) ?? ""]));
  return { requestType, provider, model, traceId, metadata, streamed, status, ...(passing && { passing }), headers, request, response };
}

interface ShownBody {
  readonly state: BodyState;
  readonly attached: Attached;
}
const NOTHING: Attached = { frames: [], count: 0 };

async function shownBody(body: Json | null): Promise<ShownBody> {
  if (body === null) return { state: "none", attached: NOTHING };
  const bytes = await writtenOnce(body);
  if (bytes === null) return { state: "too long", attached: NOTHING };
  return { state: "sent", attached: { frames: bytesFrames(bytes), count: framesOfBytes(bytes) } };
}

/** Checks of one request are shown the same bodies. What is too long is not kept. */
const written = new WeakMap<Json, Promise<Uint8Array | null>>();
function writtenOnce(body: Json): Promise<Uint8Array | null> {
  const bytes = written.get(body) ?? writtenWithin(body, MAX_SHOWN_BODY_BYTES);
  written.set(body, bytes);
  return bytes;
}
