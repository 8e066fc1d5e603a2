import { GatewayError, type Json } from "#contract";

/* Why a session ends, or a message goes no further, beside what the gateway's own errors say. */

export class TooLarge extends Error {
  constructor(limit: number) {
    super(`a message is larger than ${limit} bytes`);
  }
}
/** Guardrails look on, or not every model may be asked, and nobody can read it. */
export class Unreadable extends Error {
  constructor() {
    super("the texts of this session are read, and no binary messages");
  }
}

export const unknownMessage = (json: Json): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    {
      what: `A guardrail reads what clients of this session say, and does not know messages of the type ${String(json["type"]).slice(0, 100)}.`,
    },
    { param: "type" },
  );
