import type { Outcome } from "./request.ts";

/** Receives what happened, in batches, off the request path. A slow or failing exporter loses its own batches, counted. */
export interface Exporter {
  export(batch: readonly Outcome[]): Promise<void>;
}
