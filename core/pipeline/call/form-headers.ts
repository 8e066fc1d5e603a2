import { GatewayError } from "#contract";

/* What a form's content type and the heads of its parts say. Only what every reader understands alike is taken. */

export const unreadable = (why: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The multipart form cannot be read: ${why}.` });

const FORM_TYPE = /^[ \t]*multipart\/form-data/i;
/** As those find it who do not heed quotes: the header goes on as it came. */
const BOUNDARY = /[;,\s]boundary\s*=/gi;
const MAX_BOUNDARY = 200;

/** What stands between the parts of a form with this content type. */
export function boundaryOf(contentType: string): string {
  if (contentType.includes("\\")) throw unreadable("its content type has a backslash, which not all read alike");
  if ((contentType.match(BOUNDARY)?.length ?? 0) > 1) throw unreadable("its content type says twice what its boundary is");
  const parameters = parametersOf(contentType, FORM_TYPE.exec(contentType)?.[0].length ?? 0, "its content type");
  const boundary = parameterOf(parameters, "boundary", "its content type");
  if (!boundary) throw unreadable("its content type names no boundary");
  if (boundary.length > MAX_BOUNDARY) throw unreadable(`its boundary has more than ${MAX_BOUNDARY} characters`);
  if (/[ \t]$/.test(boundary)) throw unreadable("its boundary ends with a blank");
  if (!UTF8.test(parameters.get("charset") ?? "utf-8")) throw unreadable("its content type names a charset other than UTF-8");
  return boundary;
}

export interface PartHead {
  readonly name: string;
  readonly isFile: boolean;
  readonly text: TextForm;
}
/** How the value of a part that is no file is written: what its letters are, and whether some read it as JSON. */
export interface TextForm {
  readonly asciiOnly: boolean;
  readonly isJson: boolean;
}
/** What the head of a part says. */
export function partHead(head: string): PartHead {
  const lines = head.split("\r\n");
  if (lines.some((line) => BROKEN_LINE.test(line))) throw unreadable("the head of a part is not well-formed");
  refuseEncoded(lines);
  const parameters = dispositionOf(lines);
  const name = parameterOf(parameters, "name", "a part");
  if (name === undefined) throw unreadable("a part has no name");
  refuseOddName(name);
  const isFile = Boolean(parameters.get("filename")); // with an empty one it is a text to many readers
  return { name, isFile, text: isFile ? PLAIN : textForm(lines) };
}

function refuseOddName(name: string): void {
  if (name.includes("\\")) throw unreadable("the name of a part has a backslash, which not all read alike");
  if (ODD_NAME.test(name)) throw unreadable("the name of a part has a blank or a quote at its end, or an escape, which not all read alike");
  if (name === "_charset_") throw unreadable("a part says in which charset the form is, which not all heed; leave it out and send UTF-8");
}
const ODD_NAME = /^[\s']|[\s']$|%[0-9a-f]{2}/i;

/** Of a text whose letters some would read as others. */
function textForm(lines: readonly string[]): TextForm {
  const [line, ...more] = lines.filter((line) => /^content-type[ \t]*:/i.test(line));
  if (line === undefined) return PLAIN;
  const type = TEXT_TYPE.exec(line);
  if (!type || more.length > 0) throw unreadable("a part does not say in one Content-Type what its text is");
  const charset = parameterOf(parametersOf(line, type[0].length, "a part's Content-Type"), "charset", "a part") ?? "utf-8";
  if (!UTF8.test(charset) && !BEGINS_AS_ASCII.test(charset)) throw unreadable("a part names a charset other than UTF-8");
  return { asciiOnly: !UTF8.test(charset), isJson: /[/+]json$/i.test(type[1] ?? "") };
}
const PLAIN: TextForm = { asciiOnly: false, isJson: false };
const TEXT_TYPE = /^content-type[ \t]*:[ \t]*([^\s;]+)/i;
const UTF8 = /^(?:utf-?8|(?:us-)?ascii)$/i;
/** In these a text of ASCII is the same text. */
const BEGINS_AS_ASCII = /^(?:iso-8859-\d{1,2}|windows-125\d|latin-?1)$/i;
/** Some take a line that begins with a blank for the rest of the one before, and half a line end for a whole one. */
const BROKEN_LINE = /^[ \t]|[\r\n\0]/;

const AS_IT_IS: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);
/** Some would decode the value, and some not (RFC 7578 4.7). */
function refuseEncoded(lines: readonly string[]): void {
  for (const line of lines) {
    const encoding = /^content-transfer-encoding[ \t]*:(.*)$/i.exec(line)?.[1]?.trim();
    if (encoding !== undefined && !AS_IT_IS.has(encoding.toLowerCase())) throw unreadable(`a part is encoded (${encoding.slice(0, 50)})`);
  }
}

const DISPOSITION = /^content-disposition:[ \t]*form-data/i;
function dispositionOf(lines: readonly string[]): HeaderParameters {
  const [line, ...more] = lines.filter((line) => /^content-disposition[ \t]*:/i.test(line));
  const begun = DISPOSITION.exec(line ?? "");
  if (line === undefined || more.length > 0 || !begun) throw unreadable("a part does not say in one Content-Disposition what it is");
  if (SPLIT_QUOTE.test(line)) throw unreadable("a part has a backslash before a quote, which not all read alike");
  return parametersOf(line, begun[0].length, "a part");
}
/** For those to whom a backslash is a letter the text ends there, and what follows are further parameters. */
const SPLIT_QUOTE = /\\".*;/;

type HeaderParameters = ReadonlyMap<string, string>;
const PARAMETER = /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

function parametersOf(line: string, from: number, who: string): HeaderParameters {
  const found = new Map<string, string>();
  PARAMETER.lastIndex = from;
  let end = from;
  for (let match = PARAMETER.exec(line); match; match = PARAMETER.exec(line)) {
    const name = (match[1] ?? "").toLowerCase();
    if (found.has(name)) throw unreadable(`${who} says twice what its ${name} is`);
    found.set(name, match[2] ?? match[3] ?? "");
    end = PARAMETER.lastIndex;
  }
  if (!/^[ \t;]*$/.test(line.slice(end))) throw unreadable(`the parameters of ${who} are not well-formed`);
  return found;
}

/** What one of them says. Some readers take it from `name*`, or put it together of `name*0`, `name*1` and so on (RFC 2231). */
function parameterOf(parameters: HeaderParameters, name: string, who: string): string | undefined {
  for (const other of parameters.keys())
    if (other.startsWith(`${name}*`)) throw unreadable(`${who} says what its ${name} is as ${other}, which not all read`);
  return parameters.get(name);
}
