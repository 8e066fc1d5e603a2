import type { Body } from "#contract";

type FormRead = Extract<Body, { kind: "form-read" }>;

/** A multipart form with new texts in some of its fields; files and all other fields stay as they were. */
export async function withFields(form: FormRead, fields: Readonly<Record<string, string>>): Promise<FormRead> {
  const data = await new Response(form.bytes as Uint8Array<ArrayBuffer>, { headers: { "content-type": form.contentType } }).formData(); // bytes read from a request are never shared memory
  for (const [name, text] of Object.entries(fields)) if (form.fields[name] !== text) data.set(name, text);
  const rebuilt = new Response(data);
  return {
    kind: "form-read",
    contentType: rebuilt.headers.get("content-type") ?? form.contentType,
    bytes: new Uint8Array(await rebuilt.arrayBuffer()),
    fields,
  };
}
