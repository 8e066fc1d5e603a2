/** Of a file whose lines are judged this much is held before any of it goes on: of a smaller one that is denied nobody sees anything. */
export const HELD_BYTES = 8 * 1024 * 1024;
