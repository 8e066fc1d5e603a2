import { driver } from "./driver.ts";

/*
 * Long texts are stored compressed: the wire text of a stream repeats itself in every frame (to a thirtieth, in a tenth
 * of the time it takes to store it as it is), and prose goes to about a half for the same time.
 */

/** Characters from which on it pays. */
const LONG = 8_192;

/** What a column that may hold a long text holds. */
export type Compact = string | Uint8Array;

/** Lone surrogates become U+FFFD, as in a text that SQLite stores. */
export const compact = (text: string): Compact => (text.length < LONG ? text : driver.pack(text));

const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a text may begin with one
export const expanded = (stored: Compact): string => (typeof stored === "string" ? stored : decoder.decode(driver.unpack(stored)));
