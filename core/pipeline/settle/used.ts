import {
  GatewayError,
  isJson,
  type NoJsonAnswer,
  type Json,
  type JsonText,
  type MaybePromise,
  outputTokens,
  type PlacedSegment,
  type Usage,
} from "#contract";
import type { CostOf, PriceTerms } from "./cost.ts";
import type { EstimateUsage } from "./estimate.ts";
import { shortened } from "./logged-text.ts";
import type { Ended } from "./make-outcome.ts";
import type { WholeBody } from "../stream/spent.ts";

/* What a request used, and what that costs. */

export const modelOf = ({ reply, ending }: Pick<Ended, "reply" | "ending">): string | null =>
  (reply.denied ? reply.denied.model : ending.model) ?? reply.model;

/** A provider may call its model anything, at any length; columns and indexes have an end. */
export const MAX_NAME = 256;
/** No price and no tokenizer knows a longer name, and looking for it would hold up every request. */
const isAskable = (model: string): boolean => model !== "" && model.length <= MAX_NAME;

/** What the provider reported of its answer, also where the client is given a denial in its place. */
export const reportedIn = ({ reply, ending }: Ended): Usage | null => (reply.denied ?? ending).usage;

/** Did the provider's answer come to its end? Of another one, what was reported may be said of its beginning only. */
export const isComplete = ({ reply, ending }: Ended): boolean => reply.denied?.isComplete ?? (ending.ended === "ok" || !ending.streamed);

/** What the provider reported, if the answer came to its end; else no less than what was received. */
export function usageOf(ended: Ended, estimate: EstimateUsage): MaybePromise<Usage | null> {
  const reported = reportedIn(ended);
  return reported && isComplete(ended) ? reported : usageReceived(ended, estimate);
}

export async function usageReceived(ended: Ended, estimate: EstimateUsage): Promise<Usage | null> {
  const reported = reportedIn(ended);
  const estimated = await estimateOf(ended, estimate);
  if (!reported || !estimated) return reported ?? estimated;
  const missing = outputTokens(estimated) - outputTokens(reported);
  return missing > 0 ? { ...reported, output: (reported.output ?? 0) + missing, estimated: true } : reported;
}

/** Only answers that cost something are estimated: those a model began to give. */
async function estimateOf({ reply, served, ending }: Ended, estimate: EstimateUsage): Promise<Usage | null> {
  const call = served.routed?.call ?? served.call;
  const { input, output, noJson } = call.row.content;
  const isGood = reply.status < 300 || reply.denied !== undefined;
  if (!input || !output || reply.from === null || reply.sent === null || !isGood || call.body.kind !== "json") return null;
  const unread = noJson && !reply.denied && ending.unreadEvents?.();
  const { text, times } = unread
    ? { ...unread, text: await textOfEvents(unread.text, noJson, output) }
    : textReceived({ reply, ending }, output);
  const model = modelOf({ reply, ending }) ?? reply.from.target.model;
  const of = { providerId: reply.from.id, model: shortened(model, MAX_NAME) };
  const asked = textRead(input, call.body.value, served.call.body.kind === "json" ? served.call.body.text : null);
  const usage = await estimate(asked, text, of);
  return { ...usage, output: Math.round((usage.output ?? 0) * times) };
}

type ReadTexts = (body: Json) => readonly PlacedSegment[];
interface Text {
  readonly text: string;
  /** How much more than that it was. */
  readonly times: number;
}
function textReceived({ reply: { content, denied }, ending }: Pick<Ended, "reply" | "ending">, read: ReadTexts): Text {
  if (denied === undefined) return ending.answerText?.() ?? { text: content.kind === "whole" ? bodyText(content, read) : "", times: 1 };
  return { text: typeof denied.received === "string" ? denied.received : bodyText(denied.received, read), times: 1 };
}
const bodyText = ({ body, text }: WholeBody, read: ReadTexts): string => (isJson(body) ? textRead(read, body, text) : "");

/** Of events that nobody reads; all of them where they cannot be read. */
async function textOfEvents(wire: string, { read }: NoJsonAnswer, texts: ReadTexts): Promise<string> {
  try {
    return bodyText({ body: await read(wire, "text/event-stream"), text: wire }, texts);
  } catch (thrown) {
    if (thrown instanceof SyntaxError || GatewayError.is(thrown)) return wire;
    throw thrown;
  }
}

/** The texts of a body; all of its JSON where they are too many to be read. */
export function textRead(
  read: ((body: Json) => readonly PlacedSegment[]) | undefined,
  body: Json,
  json: JsonText | null = JSON.stringify(body),
): string {
  try {
    return textIn(read?.(body) ?? []);
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    return typeof json === "string" ? json : Buffer.from(json ?? []).toString("latin1");
  }
}
/** What of a body counts as tokens of text. */
export const textIn = (segments: readonly PlacedSegment[]): string =>
  segments
    .filter(({ kind }) => !MEDIA.has(kind))
    .map((segment) => segment.raw ?? segment.text)
    .join("\n");
const MEDIA: ReadonlySet<PlacedSegment["kind"]> = new Set(["image", "audio", "file"]);

/** By the model that answered, or by the one that was asked when nobody knows the other's price; a model of one's own has its price, or its base's. */
export async function costFor(used: Used, model: string | null): Promise<number | null> {
  if (!used.reply.from) return null;
  const { kept, target } = used.reply.from;
  const of = model ?? target.model;
  const own = kept?.models?.known.get(target.model) ?? kept?.models?.known.get(of);
  const terms: PriceTerms = { price: own?.price, factors: kept?.models?.factors };
  for (const name of new Set([of, target.model, own?.base ?? target.model])) {
    const cost = await costAs(name, used, terms);
    if (cost !== null) return cost;
  }
  return null;
}
function costAs(model: string, { reply, usage, costOf, served }: Used, terms: PriceTerms): MaybePromise<number | null> {
  if (!reply.from || !isAskable(model)) return null;
  const { id: providerId, slug: providerSlug, provider } = reply.from;
  return costOf({ providerId, providerSlug, model, usage, caller: served.caller }, provider, terms);
}
/** What an answer used, and who can say what that costs. */
export interface Used extends Pick<Ended, "reply" | "served"> {
  readonly usage: Usage;
  readonly costOf: CostOf;
}
