/** Maximum bytes of a buffered answer, decoded: an upstream must not fill the memory. */
export const MAX_WHOLE = 64 * 1024 * 1024;
export const tooLarge = (limit: number, what = "its answer"): string => `${what} is larger than ${limit / 1024 / 1024} MB`;
