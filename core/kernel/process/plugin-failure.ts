import { GatewayError, type Logger } from "#contract";

/** What a plugin let escape, with its name for the log. Errors that the gateway words itself stay as they are. */
export const blaming = (thrown: unknown, plugin: string): GatewayError =>
  GatewayError.is(thrown) ? thrown : new GatewayError("INTERNAL", { plugin }, { cause: thrown });

/** Where something failed that has no words for its client. */
interface Place {
  readonly traceId: string;
  /** Whose code it was, where that is known. */
  readonly plugin?: string | undefined;
  readonly [detail: string]: string | undefined;
}

/** What a client is told of anything that was thrown: what has no words for it is logged, with its cause, under an id that it is told. */
export function answerable(thrown: unknown, place: Place, log: Logger): GatewayError {
  if (GatewayError.is(thrown) && thrown.code !== "INTERNAL") return thrown;
  const { cause, plugin } = GatewayError.is(thrown)
    ? { cause: thrown.cause ?? thrown, plugin: thrown.details["plugin"] }
    : { cause: thrown };
  log("error", "request failed inside", { ...place, ...(plugin !== undefined && { plugin }), why: cause });
  return new GatewayError("INTERNAL", { under: `, under the trace id ${place.traceId}` }, { cause });
}
