import { GatewayError } from "./errors.ts";

/** What a URL such as `data:text/plain;charset=utf-8;base64,…` says. */
export interface DataUrl {
  readonly mediaType: string;
  readonly isBase64: boolean;
  readonly data: string;
}
const SCHEME = "data:";
/** Characters up to the comma: a media type and its parameters, of which a file's name may be one. */
const MAX_HEAD = 1_024;

/** `null` for any other URL. Cut by position, not by a pattern: the data may be many megabytes, and whatever is no data may be too. */
export function readDataUrl(url: string): DataUrl | null {
  if (!url.startsWith(SCHEME)) return null;
  const comma = url.slice(0, MAX_HEAD).indexOf(",");
  if (comma < 0) throw new GatewayError("REQUEST_INVALID", { what: NO_COMMA }, { param: "messages" });
  const [mediaType = "", ...parameters] = url.slice(SCHEME.length, comma).split(";");
  return { mediaType: mediaType || "text/plain", isBase64: parameters.includes("base64"), data: url.slice(comma + 1) };
}
const NO_COMMA = `A data URL needs a comma before its data, among its first ${MAX_HEAD} characters.`;
