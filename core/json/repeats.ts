import { GatewayError, type Json } from "#contract";

/*
 * JSON does not say which of two members of one name counts: one reader takes the first, another the last. What was judged
 * here could then be another text than what its provider reads, so such a body is refused. The parser keeps one member of
 * each name, however the names are escaped: a text that has more names than its value has members repeats one.
 */

/** Throws when a member stands twice in an object of the text from which the parser made this value. */
export function refuseRepeats(namesInText: number, value: unknown): void {
  if (namesInText !== members(value)) throw new GatewayError("BODY_REPEATS");
}

/** Names of members in a JSON text that the parser has taken: outside of texts, a colon stands behind names alone. */
export function namesIn(text: string): number {
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) names += 1;
    else if (code === QUOTE) at = endOfText(text, at);
  }
  return names;
}
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the quote stands that ends the text which begins here. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
    if (at - from > NEAR) return far(text, at);
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
/** Up to here a search costs more than looking at each character. */
const NEAR = 24;
function far(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (isEscaped(text, at, from)) at = text.indexOf('"', at + 1);
  return at;
}
function isEscaped(text: string, at: number, from: number): boolean {
  let before = at;
  while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** Members of all objects in a value of bounded depth. */
function members(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (typeof value[at] === "object") count += members(value[at]);
    return count;
  }
  for (const name in value) {
    count += 1;
    const member = (value as Json)[name]; // an object, by the lines above
    if (typeof member === "object") count += members(member);
  }
  return count;
}
