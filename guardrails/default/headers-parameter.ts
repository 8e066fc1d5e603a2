import { Type } from "@sinclair/typebox";
import { isJson, type Json } from "#contract";

/** A parameter for headers that a check sends. */
export const HeadersToSend = Type.Optional(
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
    description: "Headers to send: an object, or the same as JSON text. Stored sealed: they often hold a credential.",
    secret: true,
  }),
);
type Given = typeof HeadersToSend.static | undefined;

/** `undefined` when the text is not a JSON object. */
export function headersOf(given: Given): Record<string, string> | undefined {
  const object = typeof given === "string" ? parsedObject(given) : (given ?? {});
  return object && Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]));
}
function parsedObject(text: string): Json | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with them. */
export const headerProblems = (name: string, given: Given): readonly string[] =>
  headersOf(given) ? [] : [`${name} must be an object, or the JSON text of one.`];
