/** Walks each cell of docs/dialects.md: a client's request through the real gateway to a stand-in on that provider's wire. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";
import { ASKS, requestOf } from "./asks.ts";
import {
  type Cell,
  cellOf,
  DIALECTS,
  type Dialect,
  FEATURE_IDS,
  type FeatureId,
  type ProviderId,
  type Wire,
  headersBy,
  providerOf,
  providersOf,
  wireOf,
} from "./features.ts";
import { ERRORS, type Seen, seenBy } from "./seen.ts";
import { ANSWER, BUSY, type AnswerContent } from "./wire-answers.ts";

let gateway: GatewayProcess;
let upstream: ReplayServer;
beforeAll(async () => {
  upstream = replayServer(jsonAnswer({}));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const VERTEX = { "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "europe-west4" };
const HEADERS: Readonly<Partial<Record<ProviderId, Readonly<Record<string, string>>>>> = {
  bedrock: {
    "x-gateway-aws-access-key-id": "AKIAHEADER",
    "x-gateway-aws-secret-access-key": "secret",
    "x-gateway-aws-region": "eu-central-1",
  },
  "vertex-ai": VERTEX,
  "vertex-ai-claude": VERTEX,
};
const LONG = { city: "x".repeat(300_000) };
/** What the provider answers, and what the client sees of it; default: a sentence. */
const SAID: Readonly<Partial<Record<FeatureId, readonly [AnswerContent, Partial<Seen>]>>> = {
  tools: [{ calls: [{ city: "Oslo" }] }, { calls: [{ city: "Oslo" }] }],
  parallel: [{ calls: [{ city: "Oslo" }, { city: "Rome" }] }, { calls: [{ city: "Oslo" }, { city: "Rome" }] }],
  "no-arguments": [{ calls: [{}] }, { calls: [{}] }],
  "long-arguments": [{ calls: [LONG] }, { calls: [LONG] }],
  thoughts: [
    { thought: "I think.", text: "Hello." },
    { thoughts: "I think.", text: "Hello." },
  ],
  "stop-reasons": [
    { text: "Hel", finish: "length" },
    { text: "Hel", finish: "length" },
  ],
  refusals: [{ finish: "refusal" }, { finish: "refusal" }],
  usage: [{ text: "Hello." }, { usage: [15, 3, 7] }],
  choices: [
    { text: "Hello.", choices: 2 },
    { text: "Hello.", choices: 2 },
  ],
  logprobs: [
    { text: "Hello.", logprobs: true },
    { text: "Hello.", hasLogprobs: true },
  ],
};
const HELLO: readonly [AnswerContent, Partial<Seen>] = [{ text: "Hello." }, { text: "Hello.", finish: "stop" }];

/** What the Responses API cannot be asked goes to the provider's chat completions. */
const wireAsked = (wire: Wire, { path }: Received): Wire => (path.endsWith("/chat/completions") ? "chat" : wire);

interface CellResult {
  readonly status: number;
  readonly text: string;
  /** What the provider got; nothing where it was not asked. */
  readonly got: Received | undefined;
}
async function asked(feature: FeatureId, dialect: Dialect, provider: ProviderId, stream: boolean): Promise<CellResult> {
  const wire = wireOf(dialect, provider);
  const [said] = SAID[feature] ?? HELLO;
  upstream.answer((request) => (feature === "errors" ? BUSY[wire] : ANSWER[wireAsked(wire, request)](said, request)));
  const { path, body } = requestOf(feature, dialect, provider, stream);
  const before = upstream.received.length;
  const response = await fetch(gateway.base + path, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", authorization: "Bearer sk-provider-key", "x-gateway-api-key": GATEWAY_KEY },
      ...{
        "x-gateway-provider": providerOf(provider),
        "x-gateway-custom-host": upstream.url,
        "x-gateway-strict-open-ai-compliance": String(feature !== "thoughts"),
      },
      ...HEADERS[provider],
      ...headersBy(provider),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), got: upstream.received.slice(before).at(-1) };
}

type Outcome = Readonly<Record<string, unknown>>;
/** What is to be seen of a cell, by what it says. */
const EXPECTED: Readonly<Record<Exclude<Cell, "–">, Outcome>> = {
  yes: { status: 200, isSent: true, isTold: true },
  translated: { status: 200, isSent: true, isTold: true },
  "left out": { status: 200, isSent: false, isTold: true },
  refused: { status: 400, isAsked: false, isTold: true },
};
function outcomeOf(
  feature: FeatureId,
  dialect: Dialect,
  provider: ProviderId,
  stream: boolean,
  { status, text, got }: CellResult,
): Outcome {
  if (feature === "errors")
    return { status: status === 429 ? 200 : status, isSent: got !== undefined, isTold: isError(dialect, 429, text) };
  if (status !== 200)
    return { status, isAsked: got !== undefined, isTold: isError(dialect, status, text), ...(status !== 400 && { text }) };
  const sent = got && ASKS[feature].sent?.[wireAsked(wireOf(dialect, provider), got)];
  const body = got?.text() ?? "";
  const isSent = sent?.test(body) ?? true;
  const [, told] = SAID[feature] ?? HELLO;
  const seen = seenBy(dialect, text, stream);
  const isTold = Bun.deepMatch(told, seen);
  return {
    status,
    isSent,
    isTold,
    ...(!isSent && { body: body.slice(0, 2_000) }),
    ...(!isTold && { seen: JSON.stringify(seen).slice(0, 2_000) }),
  };
}
const isError = (dialect: Dialect, status: number, text: string): boolean =>
  text.startsWith("{") &&
  Bun.deepMatch(ERRORS[dialect](status, (JSON.parse(text) as { error: { message: string } }).error.message), JSON.parse(text));

describe.each(DIALECTS)("a client of %s", (dialect) => {
  const cells = FEATURE_IDS.flatMap((feature) =>
    providersOf(dialect).map((provider) => [feature, provider, cellOf(feature, dialect, provider)] as const),
  );
  test.each(cells.filter(([, , cell]) => cell !== "–"))(verifies("D8.cells", "%s over %s: %s"), async (feature, provider, cell) => {
    for (const stream of [false, true]) {
      const outcome = outcomeOf(feature, dialect, provider, stream, await asked(feature, dialect, provider, stream));
      expect({ stream, ...outcome }).toMatchObject({ stream, ...EXPECTED[cell as keyof typeof EXPECTED] });
    }
  });
});
