import { createHmac } from "node:crypto";

type Parameters = Readonly<Record<string, string>>;

/** A form with the signature of its other members (HMAC-SHA1, version 1.0), as the vendor's RPC services take it. */
export function signedForm(parameters: Parameters, secret: string): string {
  const signature = createHmac("sha1", `${secret}&`).update(textToSign(parameters)).digest("base64");
  return new URLSearchParams({ ...parameters, Signature: signature }).toString();
}

function textToSign(parameters: Parameters): string {
  const names = Object.keys(parameters).sort();
  const query = names.map((name) => `${escaped(name)}=${escaped(parameters[name] ?? "")}`).join("&");
  return `POST&${escaped("/")}&${escaped(query)}`;
}

/** RFC 3986; a lone half of a character, which has no bytes, is replaced as forms replace it. */
const escaped = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
