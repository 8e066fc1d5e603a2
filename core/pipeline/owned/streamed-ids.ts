import { type ByteSource, isJson, type Json, type OwnedIds, parseJson, type Source } from "#contract";
import { joined } from "../../json/utf8.ts";
import { isLong } from "../../json/long-json.ts";
import type { Chunk } from "../stream/chunks.ts";
import { type FrameReader, frameReader } from "../stream/frames.ts";
import type { Reply } from "../call/reply.ts";
import type { GoodStream } from "../stream/content.ts";

/** What an event brings into being, and what belongs to that. */
export interface Hearing {
  made(event: Json): readonly string[];
  readonly parts?: OwnedIds["parts"];
}
type RecordIds = (ids: readonly string[]) => Promise<void>;

/** The answer with its events heard: the one that says an id passes on when the id is recorded. Bytes that are no events pass unheard. */
export async function heardStream(reply: Reply, hearing: Hearing, record: RecordIds): Promise<Reply> {
  const { content } = reply;
  const listener = new MadeIds(hearing, record);
  if (content.kind === "stream") return { ...reply, content: { kind: "stream", stream: await heard(content.stream, listener) } };
  if (content.kind !== "bytes" || content.bytes === null || !isEvents(reply)) return reply;
  return { ...reply, content: { ...content, bytes: listener.over(content.bytes) } };
}
const isEvents = ({ headers }: Reply): boolean => headers["content-type"]?.includes("event-stream") ?? false;

async function heard(stream: GoodStream, listener: MadeIds): Promise<GoodStream> {
  if (stream.kind === "chunks") return { ...stream, chunks: listener.overChunks(stream.chunks) };
  const { passing } = stream;
  await listener.hear(passing.first);
  return listener.isOver ? stream : { kind: "passing", passing: { ...passing, reader: listener.over(passing.reader) } };
}

/** Events at the beginning of a stream: what it makes is named in the first of them. */
const MOST_EVENTS = 32;
/** Bytes that are held back until the event that they begin is whole. */
const MOST_HELD = 1024 * 1024;

/** Listens for the first event that says an id; where that has parts, for each that brings one. */
class MadeIds {
  private readonly frames: FrameReader = frameReader("sse");
  private left = MOST_EVENTS;
  constructor(
    private readonly hearing: Hearing,
    private readonly record: RecordIds,
  ) {}

  get isOver(): boolean {
    return this.left <= 0 && !this.hearing.parts?.events.length;
  }
  async hear(bytes: Uint8Array): Promise<void> {
    for (const { data } of this.frames.push(bytes)) {
      if (this.isOver) return;
      const ids = [...this.first(data), ...this.partsIn(data)];
      if (ids.length > 0) await this.record(ids);
    }
  }
  private first(data: string): readonly string[] {
    if (this.left <= 0) return [];
    this.left -= 1;
    const ids = idsIn(data, this.hearing.made);
    if (ids.length > 0) this.left = 0;
    return ids;
  }
  private partsIn(data: string): readonly string[] {
    const { parts } = this.hearing;
    return parts?.events.some((name) => data.includes(name)) ? idsIn(data, parts.of) : [];
  }
  /** The same bytes, an event that is begun and not ended held back. */
  over(reader: ByteSource): ByteSource {
    return {
      read: () => (this.isOver ? reader.read() : this.heardPiece(reader)),
      cancel: () => reader.cancel(),
      unheard: () => reader.unheard?.(),
      keeps: (bytes) => reader.keeps?.(bytes),
    };
  }
  private async heardPiece(reader: ByteSource): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    let held = 0;
    do {
      const piece = await reader.read();
      if (piece === undefined) break;
      pieces.push(piece);
      held += piece.length;
      await this.hear(piece);
    } while (!this.isOver && this.frames.held > 0 && held < MOST_HELD);
    return pieces.length === 0 ? undefined : joined(pieces);
  }
  overChunks(chunks: Source<Chunk>): Source<Chunk> {
    return {
      read: async () => {
        const chunk = await chunks.read();
        if (chunk !== undefined && !this.isOver) await this.hear(Buffer.from(chunk.wire));
        return chunk;
      },
      cancel: () => chunks.cancel(),
    };
  }
}

function idsIn(data: string, made: Hearing["made"]): readonly string[] {
  if (isLong(data) || !data.startsWith("{")) return [];
  try {
    const event = parseJson(data);
    return isJson(event) ? made(event) : [];
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return []; // it is told to the client as it came
    throw thrown;
  }
}
