import { GatewayError } from "#contract";

export interface UrlParts {
  readonly pathname: string;
  readonly search: string;
}

/**
 * Path and query of a request's URL. The runtime has resolved dot segments and backslashes in it: this one path is what
 * routes are looked up by, what is authorised, what providers are asked and what is logged. Cheaper than a URL object.
 */
export function partsOf(url: string): UrlParts {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  return query < 0 ? { pathname: url.slice(from), search: "" } : { pathname: url.slice(from, query), search: url.slice(query) };
}

const ORIGIN = "http://";
/** Has the runtime made a whole URL of it? Without a Host it does not. A target has no fragment: behind one, two readers would find two paths. */
export const isWhole = ({ url }: Request): boolean => url.startsWith("http") && !url.includes("#");

/** The path alone, of a request without a whole URL too. */
export const pathOf = ({ url }: Request): string => (url.startsWith("http") ? partsOf(url).pathname : (url.split("?")[0] ?? ""));

/**
 * The request with a whole URL, so that its path is resolved like every other: HTTP/1.0 needs no Host, and one may be
 * empty. One that is no host is refused, for two readers would find two paths behind it, and so is a target that is no path.
 */
export function withWholeUrl(request: Request): Request {
  if (request.url.includes("#")) throw new GatewayError("REQUEST_INVALID", { what: "The request's target holds a #: encode it as %23." });
  if (!request.url.startsWith("/")) throw new GatewayError("REQUEST_INVALID", { what: "The request's target is not a path." });
  if (request.headers.get("host")) throw new GatewayError("HEADER_INVALID", { header: "host", why: "it is not a host" }, { param: "host" });
  return new Request(new URL(`${ORIGIN}gateway${request.url}`), request);
}
