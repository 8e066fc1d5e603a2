import { GatewayError, messageOf, type Source, UpstreamFailure, type Usage, type WireError } from "#contract";

/**
 * A streamed answer on its way to the client, as bytes of the client's dialect: a failure in mid-stream has become the
 * dialect's error event. After the end, `summary` tells what passed.
 */
export interface Live extends Source<Uint8Array> {
  summary(): Summary;
}
export interface Summary {
  readonly usage: Usage | null;
  readonly model: string | null;
  /** The dialect's terminal marker was seen. */
  readonly finished: boolean;
  readonly error: WireError | null;
  /** What the model said, for estimates, given the wire text as far as it was kept. */
  readonly text: (wire: string) => string;
}

export const wireError = (error: GatewayError): WireError => ({
  message: error.message,
  type: error.row.type,
  param: error.param,
  code: error.code.toLowerCase(),
});

/** An answer that its reader could not take. A value that nests too deep to be written down is a RangeError of the runtime. */
export const unreadable = (thrown: unknown, provider: string): GatewayError =>
  new GatewayError("UPSTREAM_INVALID", {
    provider,
    why: thrown instanceof RangeError ? `it is nested too deeply, or too large (${messageOf(thrown)})` : messageOf(thrown),
  });

/** What broke a stream, as the error its client is told. */
export function errorOf(thrown: unknown, provider: string): WireError {
  if (UpstreamFailure.is(thrown)) return thrown.error;
  if (GatewayError.is(thrown)) return wireError(thrown);
  if (thrown instanceof SyntaxError || thrown instanceof RangeError) return wireError(unreadable(thrown, provider));
  return wireError(new GatewayError("UPSTREAM_UNREACHABLE", { provider, why: messageOf(thrown) }));
}
