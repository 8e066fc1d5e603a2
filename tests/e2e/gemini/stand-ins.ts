/** Answers of Google in its own bytes, and its official client in front of the gateway. */
import { GoogleGenAI } from "@google/genai";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { GATEWAY_KEY } from "../process.ts";

export type Json = Readonly<Record<string, unknown>>;

export const PROVIDER_KEY = "AIza-provider-key-0123456789";

/** The provider's key is the client's own; the gateway's stands beside it. */
export const clientOf = (base: string, headers: Readonly<Record<string, string>>): GoogleGenAI =>
  new GoogleGenAI({
    apiKey: PROVIDER_KEY,
    httpOptions: { baseUrl: base, headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers } },
  });

export const USAGE = {
  promptTokenCount: 12,
  candidatesTokenCount: 7,
  totalTokenCount: 22,
  thoughtsTokenCount: 3,
  cachedContentTokenCount: 4,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
};
const head = { modelVersion: "gemini-2.5-flash", responseId: "resp-1" };
export const geminiBody = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0, ...more }],
  usageMetadata: USAGE,
  ...head,
});
const chunk = (data: Json): string => `data: ${JSON.stringify({ ...data, ...head })}\r\n\r\n`;
export const geminiStream = (parts: readonly Json[]): string =>
  parts
    .map((part, at) =>
      chunk({
        candidates: [{ content: { parts: [part], role: "model" }, ...(at === parts.length - 1 && { finishReason: "STOP" }), index: 0 }],
        usageMetadata: at === parts.length - 1 ? USAGE : { promptTokenCount: 12, totalTokenCount: 12 },
      }),
    )
    .join("");

/** Google says in the path whether it is a stream. */
export const byGoogle =
  (parts: readonly Json[]) =>
  ({ path }: Received): Replay =>
    path.includes(":streamGenerateContent") ? sseAnswer(geminiStream(parts)) : jsonAnswer(geminiBody(parts));
