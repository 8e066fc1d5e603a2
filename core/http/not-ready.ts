import { GatewayError } from "#contract";
import { errorResponse } from "../pipeline/stream/error-response.ts";

/** New requests are sent elsewhere, and what is under way ends. */
export function refusedWhile(why: string): Response {
  const response = errorResponse(new GatewayError("NOT_READY", { why }), "data");
  response.headers.set("connection", "close");
  return response;
}
