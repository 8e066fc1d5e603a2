/* Where the frames of server-sent events end, in bytes that nobody has decoded. */

/** So many line ends are searched for: a long line is crossed at once. Among many, each byte is looked at. */
const SEARCHED = 8;
/** Index just behind the first blank line: what stands before it may be half a frame. */
export function firstFrameEnd(bytes: Uint8Array, from = 0): number {
  let at = bytes.indexOf(LF, from + 1);
  for (let tries = 0; at >= 0 && tries < SEARCHED; tries += 1) {
    if (endsFrame(bytes, at)) return at + 1;
    at = bytes.indexOf(LF, at + 1);
  }
  if (at < 0) return bytes.length;
  for (; at < bytes.length; at += 1) if (endsFrame(bytes, at)) return at + 1;
  return bytes.length;
}

/** Index just behind the last blank line. */
export function lastFrameEnd(bytes: Uint8Array): number {
  let at = bytes.length - 1;
  for (let tries = 0; at > 0 && tries < SEARCHED; tries += 1) {
    if (endsFrame(bytes, at)) return at + 1;
    at = bytes.lastIndexOf(LF, at - 1);
  }
  for (; at > 0; at -= 1) if (endsFrame(bytes, at)) return at + 1;
  return 0;
}

/** Does a blank line end with this byte? Lines end with LF or CRLF. */
const endsFrame = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === LF && (bytes[at - 1] === LF || (bytes[at - 1] === CR && bytes[at - 2] === LF));
const LF = 10;
const CR = 13;
