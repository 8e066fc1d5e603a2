import { GatewayError } from "#contract";

/** What no other form can ask. */
export const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `${what} is served by Google's own models only.` }, { param });
