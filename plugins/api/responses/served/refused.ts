import { GatewayError } from "#contract";

/** What a chat completion cannot be asked is refused by its name. */
export const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `${what} is served by providers with a Responses API of their own only.` }, { param });
