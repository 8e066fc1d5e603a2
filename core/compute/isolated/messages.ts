import { Buffer } from "node:buffer";
import { nextTurn } from "#contract";
import { type Frame, FrameReader, jsonFrame } from "../frames.ts";

/** A list of frames that goes with a message, and how many they are. */
export interface Attached {
  readonly frames: Iterable<Buffer>;
  readonly count: number;
}
export interface Message<H> {
  readonly head: H;
  /** The frames of each list. */
  readonly attached: readonly (readonly Frame[])[];
  /** Bytes of memory that it takes, about. */
  readonly weight: number;
}
/** How many frames each list has stands beside the head. */
interface Envelope<H> {
  readonly head: H;
  readonly lists: readonly number[];
}

/** Frames that are written in one go: most texts are short. */
const AT_ONCE = 4;

/** Writes messages one after the other, however many are given to it at once. */
export class MessageWriter<H> {
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly write: (bytes: Uint8Array) => Promise<void>) {}

  /** Resolves when it is through the pipe; rejects when the other side is gone. */
  send(head: H, attached: readonly Attached[] = []): Promise<void> {
    const sending = this.last.then(() => this.sendNow(head, attached));
    this.last = sending.catch(() => undefined); // who sends is told
    return sending;
  }
  private async sendNow(head: H, attached: readonly Attached[]): Promise<void> {
    const envelope: Envelope<H> = { head, lists: attached.map(({ count }) => count) };
    const first = jsonFrame(JSON.stringify(envelope));
    const frames = attached.flatMap(({ count, frames }) => (count === 0 ? [] : [frames]));
    if (attached.reduce((sum, { count }) => sum + count, 0) <= AT_ONCE)
      return this.write(Buffer.concat([first, ...frames.flatMap((list) => [...list])]));
    await this.write(first);
    for (const list of frames)
      for (const frame of list) {
        await this.write(frame);
        await nextTurn(); // a long text is many milliseconds of copying
      }
    return undefined;
  }
}

/** Puts messages together from bytes as they come. */
export class MessageReader<H> {
  private readonly frames: FrameReader;
  private envelope: Envelope<H> | undefined;
  private lists: Frame[][] = [];
  /** The first list that lacks a frame. */
  private open = 0;
  private weight = 0;

  /** Throws where a frame, or a message with all of its frames, is longer. */
  constructor(
    maxFrameBytes?: number,
    private readonly maxWeight = Infinity,
  ) {
    this.frames = new FrameReader(maxFrameBytes);
  }
  *push(bytes: Uint8Array): Generator<Message<H>> {
    for (const frame of this.frames.push(bytes)) {
      const message = this.add(frame);
      if (message) yield message;
    }
  }
  private add(frame: Frame): Message<H> | undefined {
    this.weight += frame.bytes.length + FRAME_WEIGHT;
    if (this.weight > this.maxWeight) throw new Error("the other process sent a message without end");
    if (this.envelope === undefined) this.begin(envelopeOf<H>(frame));
    else this.lists[this.open]?.push(frame);
    return this.envelope && this.ended(this.envelope);
  }
  private begin(envelope: Envelope<H>): void {
    this.envelope = envelope;
    this.lists = envelope.lists.map(() => []);
    this.open = 0;
  }
  /** The message, when no list of it lacks a frame. */
  private ended({ head, lists }: Envelope<H>): Message<H> | undefined {
    while (this.open < lists.length && this.lists[this.open]?.length === lists[this.open]) this.open += 1;
    if (this.open < lists.length) return undefined;
    const message = { head, attached: this.lists, weight: this.weight };
    this.envelope = undefined;
    this.weight = 0;
    return message;
  }
}
/** What a frame takes in memory besides its bytes, about: millions of empty ones are not nothing. */
const FRAME_WEIGHT = 512;
/** No message has more: a text and two bodies. */
const MAX_LISTS = 3;

function envelopeOf<H>({ kind, bytes }: Frame): Envelope<H> {
  const envelope = kind === "json" ? (JSON.parse(bytes.toString()) as Partial<Envelope<H>> | null) : null; // judged by the next lines
  const isWhole = typeof envelope?.head === "object" && envelope.head !== null && areCounts(envelope.lists);
  if (isWhole) return envelope as Envelope<H>;
  throw new Error("the other process sent something that is no message");
}
const areCounts = (lists: unknown): boolean =>
  Array.isArray(lists) && lists.length <= MAX_LISTS && lists.every((count) => Number.isSafeInteger(count) && count >= 0);
