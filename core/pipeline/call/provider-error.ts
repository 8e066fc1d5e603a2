import { errorExtra, isJson, type Json, type WireError } from "#contract";

/** An error body in the form that most providers share: `{error: {message, type, param, code}}`. */
export function usualError(body: unknown): Partial<WireError> {
  const error = isJson(body) ? body["error"] : undefined;
  if (typeof error === "string") return { message: error };
  if (!isJson(error)) return isJson(body) && typeof body["message"] === "string" ? { message: body["message"] } : {};
  const text = (name: string): string | null =>
    typeof error[name] === "string" || typeof error[name] === "number" ? String(error[name]) : null;
  return { message: text("message") ?? JSON.stringify(error), type: text("type") ?? "api_error", param: text("param"), code: text("code") };
}

/** What an error body says beyond what every dialect can express, wherever its provider's reader has found the rest. */
export function extraIn(body: unknown): Pick<WireError, "extra"> {
  const outer: unknown = Array.isArray(body) ? body[0] : body; // one vendor sends a list of one
  if (!isJson(outer)) return {};
  return isJson(outer["error"]) ? errorExtra(outer["error"]) : errorExtra(besideSaid(outer));
}
/** A body that is the error itself, without what its reader has told in some spelling. */
const besideSaid = (body: Json): Json => Object.fromEntries(Object.entries(body).filter(([name]) => !SAID.has(name.toLowerCase())));
const SAID: ReadonlySet<string> = new Set(["error", "object", "message", "type", "__type", "param", "code"]);
