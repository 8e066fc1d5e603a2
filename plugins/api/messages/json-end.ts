const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), "\\".charCodeAt(0)];
const OPENS: ReadonlySet<number> = new Set(["{".charCodeAt(0), "[".charCodeAt(0)]);
const CLOSES: ReadonlySet<number> = new Set(["}".charCodeAt(0), "]".charCodeAt(0)]);
const SPACE = " ".charCodeAt(0);

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
    for (let at = 0; at < piece.length; at += 1) {
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
    else if (OPENS.has(code)) this.depth += 1;
    else if (CLOSES.has(code)) this.depth -= 1;
  }
}
