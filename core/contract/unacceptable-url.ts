import { GatewayError } from "./errors.ts";

/** The URL itself is not repeated: it may hold credentials. */
export const unacceptableUrl = (why: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The URL cannot be called: ${why}.` });
/** Left out of a URL, a key would leave another place to be called. */
export const HOLDS_OWN_KEY = "it holds a key of this gateway";
