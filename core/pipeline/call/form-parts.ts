import { GatewayError, nextTurn } from "#contract";

/*
 * A multipart form taken apart (RFC 7578, RFC 2046 5.1.1) without copying what it holds. What two readers could take for
 * two different forms is refused: what guardrails read must be what the provider reads.
 */

export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** Where its head begins, and where its value does and ends. */
  readonly headFrom: number;
  readonly valueFrom: number;
  readonly to: number;
}

/** Dozens at most, where people send some. */
const MAX_PARTS = 1_000;

export async function formParts(bytes: Uint8Array, contentType: string): Promise<readonly FormPart[]> {
  const boundary = new Boundary(bytes, boundaryOf(contentType));
  const parts: FormPart[] = [];
  for (let behind = await boundary.first(); !boundary.isLast(behind); ) {
    if (parts.length === MAX_PARTS) throw unreadable(`it has more than ${MAX_PARTS} parts`);
    const headFrom = boundary.lineEnd(behind);
    const headTo = headEnd(boundary.form, headFrom);
    const valueFrom = headTo + BLANK_LINE.length;
    const to = await boundary.next(headFrom - LINE.length);
    if (to < valueFrom) throw unreadable("a part has no value, not even an empty one");
    parts.push({ ...saidBy(boundary.form.toString("utf8", headFrom, headTo)), headFrom, valueFrom, to });
    behind = to + boundary.length;
  }
  return parts;
}

const unreadable = (why: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The multipart form cannot be read: ${why}.` });

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadable("its content type names no boundary");
  return boundary;
}

const LINE = "\r\n";
const BLANK_LINE = "\r\n\r\n";
const DASH = 0x2d;
/** Bytes that are searched before others have their turn. */
const PER_TURN = 1024 * 1024;

/** What stands between the parts: a line of its own. */
class Boundary {
  readonly form: Buffer;
  private readonly line: Buffer;
  private searched = 0;

  constructor(bytes: Uint8Array, boundary: string) {
    this.form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.line = Buffer.from(`${LINE}--${boundary}`, "latin1"); // a header's characters are bytes
  }
  /** With the line end before it, which is not the part's. */
  get length(): number {
    return this.line.length;
  }
  /** Behind the first one. */
  async first(): Promise<number> {
    const atStart = this.line.subarray(LINE.length);
    if (this.form.subarray(0, atStart.length).equals(atStart)) return atStart.length;
    return (await this.next(0)) + this.length;
  }
  /** Where the next one begins. */
  async next(from: number): Promise<number> {
    for (let at = from; at < this.form.length; at += PER_TURN) {
      const found = this.form.subarray(at, at + PER_TURN + this.length).indexOf(this.line);
      this.searched += found < 0 ? PER_TURN : found;
      if (this.searched >= PER_TURN) await this.pause();
      if (found >= 0) return at + found;
    }
    throw unreadable("its last boundary is missing");
  }
  private pause(): Promise<void> {
    this.searched = 0;
    return nextTurn();
  }
  /** Does the one that ends here end the form? */
  isLast(behind: number): boolean {
    return this.form[behind] === DASH && this.form[behind + 1] === DASH;
  }
  /** Behind the line of the one that ends here; some pad it. */
  lineEnd(behind: number): number {
    let at = behind;
    while (this.form[at] === 0x20 || this.form[at] === 0x09) at += 1;
    if (this.form.toString("latin1", at, at + LINE.length) !== LINE) throw unreadable("a line begins like its boundary, and is none");
    return at + LINE.length;
  }
}

/** Longer heads have no use. */
const MAX_HEAD = 16 * 1024;
/** The head of a part ends with a blank line; there may be nothing before it. */
function headEnd(form: Buffer, from: number): number {
  const found = form.subarray(from - LINE.length, from + MAX_HEAD).indexOf(BLANK_LINE);
  if (found < 0) throw unreadable(`the head of a part has no end within ${MAX_HEAD} bytes`);
  return from - LINE.length + found;
}

const DISPOSITION = /^content-disposition:[ \t]*form-data/i;
const PARAMETER = /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

function saidBy(head: string): Pick<FormPart, "name" | "isFile"> {
  const [line, ...more] = head.split(LINE).filter((line) => /^content-disposition[ \t]*:/i.test(line));
  const begun = DISPOSITION.exec(line ?? "");
  if (line === undefined || more.length > 0 || !begun) throw unreadable("a part does not say in one Content-Disposition what it is");
  const parameters = parametersOf(line, begun[0].length);
  const name = parameters.get("name");
  if (name === undefined) throw unreadable("a part has no name");
  return { name, isFile: parameters.has("filename") };
}
function parametersOf(line: string, from: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  PARAMETER.lastIndex = from;
  let end = from;
  for (let match = PARAMETER.exec(line); match; match = PARAMETER.exec(line)) {
    const name = (match[1] ?? "").toLowerCase();
    if (found.has(name)) throw unreadable(`a part says twice what its ${name} is`);
    found.set(name, match[2] ?? match[3] ?? "");
    end = PARAMETER.lastIndex;
  }
  if (!/^[ \t;]*$/.test(line.slice(end))) throw unreadable("the Content-Disposition of a part is not well-formed");
  return found;
}
