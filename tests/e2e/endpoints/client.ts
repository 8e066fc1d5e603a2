/** The official OpenAI client, pointed at the gateway, and what all operations promise alike. */
import { expect } from "bun:test";
import OpenAI from "openai";
import { type Answer, GATEWAY_KEY } from "../process.ts";
import { type Api, at, logOf, OPENAI_KEY, SANDBOX } from "./api.ts";

type Headers = Readonly<Record<string, string>>;

/** Of the offline provider, unless headers name another. */
export const clientOf = (api: Api, headers: Headers = SANDBOX): OpenAI =>
  new OpenAI({
    apiKey: OPENAI_KEY,
    baseURL: `${api.gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
  });

/** Headers of a target that denies requests with this word, or answers with it. */
export function denying(target: Headers, side: "input" | "output", word: string): Headers {
  const { "x-gateway-provider": provider, ...rest } = target;
  const guardrail = { deny: true, "default.regexMatch": { rule: word, not: true } };
  return { ...rest, "x-gateway-config": JSON.stringify({ provider, [`${side}_guardrails`]: [guardrail] }) };
}

/** What a promise that must fail is rejected with. */
export const failureOf = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );

/** The body that the log keeps of an answer, and its counts. */
export async function loggedOf(api: Api, { headers }: Pick<Answer, "headers">) {
  const log = await logOf(api, String(headers.get("x-gateway-request-id")));
  return { request: at(log, "request", "body"), response: at(log, "response", "body"), metrics: at(log, "metrics") };
}
