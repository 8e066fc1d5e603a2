import { CONTINUATION, type Frame, FrameFault, TEXT } from "./frames.ts";

/** Pieces that a message may come in, for each of them costs more than what is in it. */
const MOST_PIECES = 16_384;

/** Puts a message together that came in several frames. */
export class Messages {
  private kind = 0;
  private parts: Buffer[] = [];
  private size = 0;
  private pieces = 0;
  constructor(private readonly maxBytes: number) {}

  /** The message that this data frame ends. */
  add({ opcode, isLast, payload }: Frame): string | Uint8Array | undefined {
    if ((opcode === CONTINUATION) !== (this.kind !== 0))
      throw new FrameFault(1002, "a message is interrupted by another, or has no beginning");
    if (opcode !== CONTINUATION) this.kind = opcode;
    this.size += payload.length;
    if (this.size > this.maxBytes) throw new FrameFault(1009, `a message is larger than ${this.maxBytes} bytes`);
    if (++this.pieces > MOST_PIECES) throw new FrameFault(1009, `a message is in more than ${MOST_PIECES} pieces`);
    if (isLast) return this.whole(payload);
    if (payload.length > 0) this.parts.push(Buffer.from(payload)); // a copy: it is part of what else has been read
    return undefined;
  }
  private whole(last: Buffer): string | Uint8Array {
    const bytes = this.parts.length === 0 ? last : Buffer.concat([...this.parts, last]);
    const isText = this.kind === TEXT;
    this.kind = this.size = this.pieces = 0;
    this.parts = [];
    return isText ? textOf(bytes) : bytes;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new FrameFault(1007, "a text is not UTF-8");
  }
}

/** What a close frame says; 1005 where it says nothing. */
export function closing(payload: Buffer): { readonly code: number; readonly reason: string } {
  if (payload.length === 0) return { code: 1005, reason: "" };
  const code = payload.length === 1 ? 0 : payload.readUInt16BE(0);
  if (!maySay(code)) throw new FrameFault(1002, "a close frame has no code that there is");
  return { code, reason: textOf(payload.subarray(2)) };
}

/** May a close frame say this code? Some only tell how a connection ended that said none. */
export const maySay = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999);

const MAX_REASON = 123;
/** The payload of a close frame; a reason is cut to what one may hold. */
export function closePayload(code: number, reason: string): Buffer {
  let said = Buffer.from(reason);
  if (said.length > MAX_REASON)
    said = Buffer.from(
      said
        .subarray(0, MAX_REASON)
        .toString()
        .replace(/\uFFFD+$/, ""),
    );
  const payload = Buffer.alloc(2 + said.length);
  payload.writeUInt16BE(code);
  said.copy(payload, 2);
  return payload;
}
