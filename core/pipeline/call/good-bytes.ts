import { type ByteSource, type Frame, GatewayError, isJson, type Json, parseJson, type UpstreamFailure } from "#contract";
import { frameReader } from "../stream/frames.ts";
import { ReadAgain } from "../stream/read-again.ts";
import type { Try } from "./try.ts";

/* An answer of bytes with a good status is passed on once it is none of the failures that providers and what stands before them give it. */

/** Throws where it is a page, or events that begin with an error. */
export async function goodBytes(
  source: ByteSource | null,
  type: string,
  { call, to }: Pick<Try, "call" | "to">,
): Promise<ByteSource | null> {
  const { failed } = call.row.content;
  if (source === null || failed === undefined) return source;
  try {
    if (PAGE.test(type)) throw new GatewayError("UPSTREAM_INVALID", { provider: to.id, why: "it is a page to be looked at" });
    return type.includes("event-stream") ? await goodEvents(source, failed) : source;
  } catch (thrown) {
    await source.cancel(); // nobody will read the rest
    throw thrown;
  }
}
const PAGE = /^\s*(?:text\/html|application\/xhtml)/i;

type Failed = (answer: Json) => UpstreamFailure | undefined;
/** An error is short; a longer first event is a part of the answer. */
const MAX_ERROR = 64 * 1024;

async function goodEvents(source: ByteSource, failed: Failed): Promise<ByteSource> {
  const frames = frameReader("sse");
  const read: Uint8Array[] = [];
  let size = 0;
  let first: Frame | undefined;
  while (first === undefined && size < MAX_ERROR) {
    const bytes = await source.read();
    if (bytes) read.push(bytes);
    size += bytes?.length ?? 0;
    first = (bytes ? frames.push(bytes) : frames.end()).find(({ data }) => data !== "");
    if (!bytes) break;
  }
  const failure = first && failureOf(first, failed);
  if (failure) throw failure;
  return new ReadAgain(read, source);
}

function failureOf({ data, event }: Frame, failed: Failed): UpstreamFailure | undefined {
  const body = data.length < MAX_ERROR ? jsonIn(data) : undefined;
  if (!isJson(body)) return undefined;
  return failed(body) ?? (event === "error" ? failed({ error: body }) : undefined);
}
function jsonIn(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined; // a marker, or a text
  }
}
