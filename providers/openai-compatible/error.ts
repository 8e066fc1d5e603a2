import { isJson, type Json, type WireError } from "#contract";
import { at } from "./path.ts";

/** Where OpenAI-compatible servers put the message of an error, likeliest first. */
const USUAL = ["error.message", "error", "message", "detail.0.msg", "detail.error", "detail", "msg", "fault.faultstring"];
const MEMBERS = ["type", "param", "code"] as const;

/** Reads error bodies: the declared places first, then the usual ones. What a body does not say stays out. */
export function errorReader(declared: string | readonly string[] | undefined): (status: number, body: unknown) => Partial<WireError> {
  const places = [...(declared === undefined ? [] : [declared].flat()), ...USUAL];
  return (_, body) => {
    const message = places.map((place) => at(body, place)).find((found): found is string => typeof found === "string" && found !== "");
    const error = isJson(body) && isJson(body["error"]) ? body["error"] : isJson(body) ? body : {};
    return { ...(message !== undefined && { message }), ...rest(error) };
  };
}

/** Codes may be numbers on the wire. */
function rest(error: Json): Partial<WireError> {
  const members = MEMBERS.flatMap((member) =>
    typeof error[member] === "string" || typeof error[member] === "number" ? [[member, String(error[member])] as const] : [],
  );
  return Object.fromEntries(members);
}
