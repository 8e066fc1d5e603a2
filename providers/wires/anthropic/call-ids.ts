/* Other vendors' call ids (`functions.weather:0`) have characters that this wire refuses; they differ at their end. */

/** No vendor's is so long. */
const LONGEST_ID = 256;

export const ownId = (id: unknown): string =>
  String(id)
    .slice(-LONGEST_ID)
    .replace(/[^\w-]/g, "_");
export const isOwnId = (id: string): boolean => id.length <= LONGEST_ID && /^[\w-]+$/.test(id);
