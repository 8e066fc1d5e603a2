/** Did it run out of stack or memory? Then a text was too much for it, and its code is not at fault. */
export const isExhaustion = (thrown: unknown): boolean =>
  thrown instanceof RangeError && /call stack|out of memory|invalid string length/i.test(thrown.message);
