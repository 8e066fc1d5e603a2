import type { Body } from "#contract";
import { joined } from "../../json/utf8.ts";
import { type FormPart, formParts } from "../call/form-parts.ts";
import { Slices } from "../stream/slices.ts";

type FormRead = Extract<Body, { kind: "form-read" }>;
type Fields = Readonly<Record<string, string>>;

/** A multipart form with new texts in some of its fields; files and all other fields stay as they were. */
export async function withFields(form: FormRead, fields: Fields): Promise<FormRead> {
  const boundary = `form-${crypto.randomUUID()}`; // a new text may hold the one before
  const pieces: Uint8Array[] = [];
  for (const part of keptParts(await formParts(form.bytes, form.contentType), form, fields)) {
    pieces.push(bytesOf(`--${boundary}\r\n`), form.bytes.subarray(part.headFrom, part.valueFrom));
    if (isChanged(part, form, fields)) await write(fields[part.name] ?? "", pieces);
    else pieces.push(form.bytes.subarray(part.valueFrom, part.to));
    pieces.push(LINE_END);
  }
  for (const name of Object.keys(fields).filter((name) => !Object.hasOwn(form.fields, name))) {
    pieces.push(bytesOf(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n`));
    await write(fields[name] ?? "", pieces);
    pieces.push(LINE_END);
  }
  pieces.push(bytesOf(`--${boundary}--\r\n`));
  return { kind: "form-read", contentType: `multipart/form-data; boundary=${boundary}`, bytes: await joined(pieces), fields };
}
const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);
const LINE_END = bytesOf("\r\n");
/** As browsers write a name. */
const escaped = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent);

const isChanged = ({ name, isFile }: FormPart, form: FormRead, fields: Fields): boolean =>
  !isFile && Object.hasOwn(fields, name) && fields[name] !== form.fields[name];

/** Of several fields with one name a new text takes the place of all. */
function keptParts(parts: readonly FormPart[], form: FormRead, fields: Fields): readonly FormPart[] {
  const written = new Set<string>();
  return parts.filter((part) => {
    if (!isChanged(part, form, fields)) return true;
    if (written.has(part.name)) return false;
    written.add(part.name);
    return true;
  });
}

/** A text may be long: others have their turn. */
async function write(text: string, pieces: Uint8Array[]): Promise<void> {
  const slices = new Slices(text);
  for (let slice = await slices.read(); slice; slice = await slices.read()) pieces.push(slice);
}
