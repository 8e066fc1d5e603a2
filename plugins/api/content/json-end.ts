const codeOf = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, SPACE] = [codeOf('"'), codeOf("\\"), codeOf(" ")];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [codeOf("{"), codeOf("}"), codeOf("["), codeOf("]")];

/** Is a JSON text that comes in pieces at its end? Each character is looked at once and none is kept, however long the text. */
export class JsonEnd {
  private begun = false;
  private inString = false;
  private escaped = false;
  private depth = 0;

  get reached(): boolean {
    return this.begun && !this.inString && this.depth <= 0;
  }
  add(piece: string): void {
    let [quote, backslash] = [-1, -1];
    for (let at = 0; at < piece.length; at += 1) {
      if (this.inString && !this.escaped) {
        if (quote < at) quote = found(piece, '"', at);
        if (backslash < at) backslash = found(piece, "\\", at);
        at = Math.min(quote, backslash); // nothing else counts in a text; each is looked for once
        if (at === piece.length) return;
      }
      const code = piece.charCodeAt(at);
      if (this.inString) this.inText(code);
      else this.outside(code);
    }
  }
  private inText(code: number): void {
    if (this.escaped) this.escaped = false;
    else if (code === BACKSLASH) this.escaped = true;
    else if (code === QUOTE) this.inString = false;
  }
  private outside(code: number): void {
    if (code > SPACE) this.begun = true;
    if (code === QUOTE) this.inString = true;
    else if (code === OBJECT || code === LIST) this.depth += 1;
    else if (code === OBJECT_END || code === LIST_END) this.depth -= 1;
  }
}

/** Where the character stands from there on, or the end. */
function found(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}
