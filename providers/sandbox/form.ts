import type { OutgoingRequest } from "#contract";
import { missing } from "./missing.ts";
import { pause } from "./play.ts";
import { Refusal } from "./refusal.ts";
import { scenarioOf } from "./scenario.ts";

export async function formOf({ body, headers }: OutgoingRequest): Promise<FormData> {
  try {
    return await new Response(body as BodyInit | null, { headers: { "content-type": headers.get("content-type") ?? "" } }).formData(); // a Uint8Array is a body; its type parameter says less
  } catch {
    throw new Refusal(400, { message: "The body is not a multipart form." });
  }
}

/** The form of a request whose model may ask for a failure or a wait; it cannot do without the file of this name. */
export async function formWith(file: string, request: OutgoingRequest, signal: AbortSignal): Promise<FormData> {
  const form = await formOf(request);
  const { latency_ms, error } = scenarioOf({ model: textIn(form, "model") });
  await pause(latency_ms ?? 0, signal);
  if (error) throw new Refusal(error.status, error);
  if (!(form.get(file) instanceof Blob)) throw missing(file);
  return form;
}

/** The text of a field; files and absent fields have none. */
export function textIn(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === "string" ? value : undefined;
}
