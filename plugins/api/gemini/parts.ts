import { type InnerJson, isJson, type Json, sealedSignature, sealedThought, type StreamEvent, type TokenLogprob } from "#contract";
import { entry, object } from "./wire.ts";

/* Events -> parts of a content, and what a candidate says beside them. */

type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
export type ContentEvent = Of<"text" | "refusal" | "reasoning" | "media" | "block">;
const CONTENT_EVENTS: ReadonlySet<StreamEvent["type"]> = new Set([
  "text",
  "refusal",
  "reasoning",
  "media",
  "block",
] satisfies ContentEvent["type"][]);
/** What this form has no place for (citations of other vendors) says nothing. */
export const isContentEvent = (event: StreamEvent): event is ContentEvent => CONTENT_EVENTS.has(event.type);

/** What an event says, as a part; nothing where this form has no place for it. */
export function partOf(event: ContentEvent): Json | undefined {
  if (event.type === "reasoning") return thoughtPart(event);
  if (event.type === "media") return mediaPart(event.url);
  if (event.type === "block") return ownPart(event.block);
  return event.text === "" ? undefined : { text: event.text };
}

/** A thought that its vendor keeps secret has a signature alone, which tells what it is. */
const thoughtPart = ({ text, signature, redacted }: Of<"reasoning">): Json => ({
  text,
  thought: true,
  ...(signature !== undefined && { thoughtSignature: sealedSignature(signature) }),
  ...(redacted !== undefined && { thoughtSignature: sealedThought(redacted) }),
});
export function mediaPart(url: string): Json {
  if (!url.startsWith("data:")) return { fileData: { fileUri: url } };
  const comma = url.indexOf(","); // cut by position: the data may be many megabytes
  return { inlineData: { mimeType: url.slice("data:".length, comma).split(";")[0], data: url.slice(comma + 1) } };
}

/** What Google's own tools did; another vendor's blocks have no place here. */
const OWN: ReadonlySet<unknown> = new Set(["executableCode", "codeExecutionResult", "fileData"]);
function ownPart(block: Json): Json | undefined {
  if (OWN.has(block.type)) return { [String(block.type)]: block[String(block.type)] };
  const { url } = object(block.image_url);
  return block.thought === true && typeof url === "string" ? { ...mediaPart(url), thought: true } : undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly signature?: string;
}
export const callPart = ({ id, name, arguments: text, signature }: Call, inner: InnerJson): Json => ({
  functionCall: { ...(id !== "" && { id }), name, args: argsOf(text, inner) },
  ...(signature !== undefined && { thoughtSignature: sealedSignature(signature) }),
});
/** Arguments are an object on this wire. A model's broken JSON, or one that takes too long, is shown under a name that says so. */
function argsOf(text: string, inner: InnerJson): Json {
  if (text.trim() === "") return {};
  try {
    const args = inner.parse(text);
    return isJson(args) ? args : { INVALID_JSON: text };
  } catch {
    return { INVALID_JSON: text };
  }
}

/** What may stand beside a content, and the name it has here. */
const BESIDE: Readonly<Record<string, string>> = {
  groundingMetadata: "groundingMetadata",
  citationMetadata: "citationMetadata",
  urlContextMetadata: "urlContextMetadata",
  safetyRatings: "safetyRatings",
  finish_message: "finishMessage",
};
export const besideOf = (members: Json): Json =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const here = entry(BESIDE, name);
      return here === undefined ? [] : [[here, value]];
    }),
  );
/** Members of a candidate -> the names that others know them by. */
export function besideIn(candidate: Json): Json | undefined {
  let members: Json | undefined;
  for (const [name, here] of Object.entries(BESIDE)) if (candidate[here] !== undefined) (members ??= {})[name] = candidate[here];
  return members;
}

export const logprobsBody = (tokens: readonly TokenLogprob[]): Json => ({
  chosenCandidates: tokens.map(candidateOf),
  topCandidates: tokens.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(candidateOf) })),
});
const candidateOf = ({ token, logprob }: Pick<TokenLogprob, "token" | "logprob">): Json => ({ token, logProbability: logprob });
