import { isJson, type Json } from "#contract";

/* How clients of chat and text completions ask for usage in a stream, and the frame in which it comes. */

export const asksUsage = (body: Json): boolean => isJson(body["stream_options"]) && body["stream_options"]["include_usage"] === true;

export const withUsage = (body: Json): Json => ({
  ...body,
  stream_options: { ...(isJson(body["stream_options"]) ? body["stream_options"] : {}), include_usage: true },
});

/** The chunk that holds usage and no choice. */
export const isUsageFrame = (data: string): boolean => data.length < MAX_USAGE && data.includes('"usage"') && isUsageChunk(data);

/** Characters of a usage chunk: counts and their names. */
const MAX_USAGE = 64 * 1024;

function isUsageChunk(data: string): boolean {
  try {
    const chunk: Json = JSON.parse(data);
    return Array.isArray(chunk["choices"]) && chunk["choices"].length === 0 && isJson(chunk["usage"]);
  } catch {
    return false; // what is no JSON is no usage chunk; decode reports it
  }
}
