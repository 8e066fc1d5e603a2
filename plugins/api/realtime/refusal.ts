import { isJson, type Json, type WireError } from "#contract";
import { object } from "../content/wire.ts";
import { CREATED } from "./events.ts";

const eventId = (): string => `event_gw_${crypto.randomUUID().replaceAll("-", "")}`;

/** An `error` event; it names the client's event that it is about. */
export const refusal = ({ message, type, param, code }: WireError, of: Json | null, more: Readonly<Json>): Json => ({
  type: "error",
  event_id: eventId(),
  error: { type, code, message, param, event_id: typeof of?.["event_id"] === "string" ? of["event_id"] : null },
  ...more,
});

/** The response has begun, and failed: clients that wait for its end find it. */
export function denied(messages: readonly Json[], error: WireError): readonly Json[] {
  const last = messages.at(-1) ?? {};
  const response = isJson(last["response"]) ? last["response"] : {};
  const { output: _, ...rest } = response;
  const failure = { type: error.type, code: error.code ?? error.type, message: error.message };
  return [
    ...messages.flatMap((event) => (event["type"] === CREATED ? [begun(event)] : [])),
    refusal(error, null, {}),
    { ...last, response: { ...rest, status: "failed", status_details: { type: "failed", error: failure }, output: [] } },
  ];
}
/** Some begin with what they have to say. */
const begun = (event: Json): Json => {
  const response = object(event["response"]);
  return "output" in response ? { ...event, response: { ...response, output: [] } } : event;
};
