import { isJson, type Json, signatureFor, unsealed } from "#contract";
import { GEMINI_WIRE, isSigning, UNSIGNED } from "./wire.ts";

/*
 * What another vendor's model left in a conversation in Google's own form, and Google refuses: the signatures of its
 * thoughts and calls. A model that signs refuses calls without any, too.
 */

type Content = Json & { readonly parts: readonly unknown[] };

/** A request in Google's own form as it takes it: the same object where nothing in it is another's. */
export function nativeRequest(body: Json, model: string): Json {
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  const own = ownContents(contents, isSigning(model));
  return own === contents ? body : { ...body, contents: own };
}

function ownContents(contents: readonly unknown[], isSigned: boolean): readonly unknown[] {
  let copy: unknown[] | undefined;
  let isFirst = true; // of the calls of one turn, which a streaming client keeps as several contents
  contents.forEach((content, at) => {
    if (!hasParts(content) || content.role !== "model") isFirst = true;
    if (!hasParts(content)) return;
    const own = ownContent(content, isSigned && isFirst && content.role === "model");
    if (content.role === "model") isFirst &&= !content.parts.some(isCall);
    if (own !== content) (copy ??= [...contents])[at] = own;
  });
  return copy ?? contents;
}
const hasParts = (content: unknown): content is Content => isJson(content) && Array.isArray(content.parts);
const isCall = (part: unknown): part is Json => isJson(part) && isJson(part.functionCall ?? part.function_call);

/** A content may not be empty. */
function ownContent(content: Content, signsFirstCall: boolean): Content {
  const own = content.parts.map(ownPart).filter((part) => part !== undefined);
  const first = signsFirstCall ? own.findIndex(isCall) : -1;
  const call = own[first];
  if (isJson(call) && signatureOf(call) === undefined) own[first] = { ...call, thoughtSignature: UNSIGNED };
  const isSame = own.length === content.parts.length && own.every((part, at) => part === content.parts[at]);
  return isSame ? content : { ...content, parts: own.length > 0 ? own : [{ text: "" }] };
}
const signatureOf = (part: Json): unknown => part.thoughtSignature ?? part.thought_signature;

/** The same part where its signature is Google's or there is none; another vendor's thought goes, another part loses its signature. */
function ownPart(part: unknown): unknown {
  const given = isJson(part) ? signatureOf(part) : undefined;
  if (!isJson(part) || typeof given !== "string") return part;
  const mark = unsealed(given);
  const signature = mark.type === "signature" ? signatureFor(GEMINI_WIRE, mark.signature) : undefined;
  if (signature === given) return part;
  const { thoughtSignature: _, thought_signature: __, ...unsigned } = part;
  if (signature !== undefined) return { ...unsigned, thoughtSignature: signature };
  return part.thought === true ? undefined : unsigned;
}
