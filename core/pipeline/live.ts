import { GatewayError, messageOf, UpstreamFailure, type Usage, type WireError } from "#contract";
import type { Pieces } from "../egress/answer.ts";

/**
 * A streamed answer on its way to the client, in the client's dialect. `next` gives wire bytes until `undefined`;
 * a failure in mid-stream has become the dialect's error event by then. After the end, `summary` tells what passed.
 */
export interface Live {
  next(): Promise<Uint8Array | undefined>;
  cancel(): Promise<void>;
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
export type Chunks = Pieces;

export const wireError = (error: GatewayError): WireError => ({
  message: error.message,
  type: error.row.type,
  param: error.param,
  code: error.code.toLowerCase(),
});

/** What broke a stream, as the error its client is told. */
export function errorOf(thrown: unknown, provider: string): WireError {
  if (thrown instanceof UpstreamFailure) return thrown.error;
  if (GatewayError.is(thrown)) return wireError(thrown);
  if (thrown instanceof SyntaxError) return wireError(new GatewayError("UPSTREAM_INVALID", { provider, why: messageOf(thrown) }));
  return wireError(new GatewayError("UPSTREAM_UNREACHABLE", { provider, why: messageOf(thrown) }));
}
