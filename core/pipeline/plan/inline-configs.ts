import { LRUCache } from "lru-cache";

const MAX_INLINE_CONFIGS = 256;
/** Of all texts together: what is made of a long one takes many times its length. */
const MAX_INLINE_CHARS = 4 * 1024 * 1024;

/** Compiled configs of headers, by their whole text: who can name one knows all that is in it. */
export const inlineConfigs = <T extends NonNullable<unknown>>(): LRUCache<string, T> =>
  new LRUCache({ max: MAX_INLINE_CONFIGS, maxSize: MAX_INLINE_CHARS, sizeCalculation: (_, text) => text.length });
