/** AWS's binary event stream, as a server writes it. */
const encoder = new TextEncoder();

/** One message: total length, header length, their CRC, headers, payload, the CRC of it all; big-endian. A header is text, or the bytes of its type and value. */
export function message(headers: Readonly<Record<string, string | Uint8Array>>, payload: string): Uint8Array {
  const named = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const data = encoder.encode(payload);
  const bytes = new Uint8Array(16 + named.length + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, named.length);
  view.setUint32(8, Bun.hash.crc32(bytes.subarray(0, 8)));
  bytes.set(named, 12);
  bytes.set(data, 12 + named.length);
  view.setUint32(bytes.length - 4, Bun.hash.crc32(bytes.subarray(0, bytes.length - 4)));
  return bytes;
}
/** Length and name, type and value. */
const header = (name: string, value: string | Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.of(name.length), encoder.encode(name), typeof value === "string" ? textValue(value) : value]);
/** Type 7, length and text. */
function textValue(value: string): Uint8Array {
  const text = encoder.encode(value);
  return Buffer.concat([Uint8Array.of(7, text.length >> 8, text.length & 255), text]);
}

export const event = (type: string, payload: object): Uint8Array =>
  message({ ":event-type": type, ":content-type": "application/json", ":message-type": "event" }, JSON.stringify(payload));
export const exception = (type: string, payload: object): Uint8Array =>
  message({ ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" }, JSON.stringify(payload));

/** A recorded line `{"messageStop": {…}}` as the event it was. */
export function recordedEvent(line: string): Uint8Array {
  const [[type, payload] = ["", {}]] = Object.entries(JSON.parse(line) as Record<string, object>);
  return event(type, payload);
}
export const eventWire = (lines: readonly string[]): Uint8Array => Buffer.concat(lines.map(recordedEvent));
