/**
 * Operations of the sheet that are not here yet. One that answers must be taken off: then all cases are asked of it.
 */
export const WAITING: readonly string[] = ["GET /v2/models/{model}", "DELETE /v2/models/{model}"];
