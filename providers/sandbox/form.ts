import type { OutgoingRequest } from "#contract";
import { missing } from "./missing.ts";
import { pause } from "./play.ts";
import { Refusal } from "./refusal.ts";
import { scenarioOf } from "./scenario.ts";

/** A form is read in one go, while nobody else is served. */
const MAX_FORM_MB = 4;

async function formOf({ body, headers }: OutgoingRequest): Promise<FormData> {
  const parts: Uint8Array[] = [];
  let left = MAX_FORM_MB * 1024 * 1024;
  for await (const part of new Response(body as BodyInit | null).body ?? []) {
    left -= part.length;
    if (left < 0) throw new Refusal(413, { message: `The sandbox reads forms of up to ${MAX_FORM_MB} MB.` });
    parts.push(part);
  }
  const type = headers.get("content-type") ?? "";
  return new Response(Buffer.concat(parts), { headers: { "content-type": type } }).formData().catch(() => {
    throw new Refusal(400, { message: "The body is not a multipart form." });
  });
}

/** The form of a request whose model may ask for a failure or a wait; it cannot do without the file of this name. */
export async function formWith(file: string, request: OutgoingRequest, signal: AbortSignal): Promise<FormData> {
  const form = await formOf(request);
  const { latency_ms, error } = scenarioOf({ model: textIn(form, "model") });
  await pause(latency_ms ?? 0, signal);
  if (error) throw new Refusal(error.status, error);
  if (!((form.get(file) ?? form.get(`${file}[]`)) instanceof Blob)) throw missing(file); // several are a list
  return form;
}

/** The text of a field; files and absent fields have none. */
export function textIn(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === "string" ? value : undefined;
}
