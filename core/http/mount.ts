import type { Server } from "../platform.ts";
import type { UrlParts } from "./request-path.ts";

/** Values of path parameters, by name. */
export type Params = Readonly<Record<string, string>>;
export const NO_PARAMS: Params = Object.freeze({});
/** A method and path with what answers it. */
export interface Mount {
  readonly method: string;
  readonly path: string;
  readonly run: (request: Request, at: UrlParts, params: Params, server?: Server) => Response | Promise<Response>;
}
