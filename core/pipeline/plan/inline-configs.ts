const MAX_INLINE_CONFIGS = 256;
/** Of all texts together: what is made of a long one takes many times its length. */
const MAX_INLINE_CHARS = 4 * 1024 * 1024;

/** Compiled configs of headers, by their whole text: who can name one knows all that is in it. The oldest goes first. */
export class InlineConfigs<T> {
  readonly #byText = new Map<string, T>();
  #chars = 0;

  get(text: string): T | undefined {
    return this.#byText.get(text);
  }
  keep(text: string, compiled: T): void {
    this.#byText.set(text, compiled);
    this.#chars += text.length;
    for (const oldest of this.#byText.keys()) {
      if (this.#byText.size <= MAX_INLINE_CONFIGS && this.#chars <= MAX_INLINE_CHARS) return;
      this.#byText.delete(oldest);
      this.#chars -= oldest.length;
    }
  }
}
