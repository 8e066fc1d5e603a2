import type { Json } from "#contract";

/** An event of the stream, as wire text. */
export const frame = (event: string, data: Json): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
export const typed = (type: string, data: Json): string => frame(type, { type, ...data });
