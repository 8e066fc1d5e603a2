/**
 * A conversation moved by fallback in the middle of a tool call, and back again: every client dialect, every ordered pair
 * of six vendors that refuse what those refuse. Nobody is sent another vendor's signature; each gets its own back as it was.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type GatewayProcess, startGateway } from "../process.ts";
import { answerOf } from "../vendors-that-refuse.ts";
import { answerResponse } from "./responding-vendors.ts";
import { SIGNATURES, SIGNING_VENDORS } from "./signing-vendors.ts";
import { rewritingGemini, type Spoken, type Talk, TALKS } from "./talks.ts";

/** The model of each vendor, and what its target needs besides a key. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  anthropic: { override_params: { model: "claude-sonnet-4-5" } },
  bedrock: {
    override_params: { model: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
    ...{ aws_access_key_id: "AKIAHEADER", aws_secret_access_key: "secret", aws_region: "eu-central-1" },
  },
  google: { override_params: { model: "gemini-3-pro-preview" } },
  "mistral-ai": { override_params: { model: "mistral-large-latest" } },
  groq: { override_params: { model: "openai/gpt-oss-120b" } },
  openai: { override_params: { model: "gpt-5" } },
};
const VENDORS = Object.keys(TARGETS);

let gateway: GatewayProcess;
let upstream: ReplayServer;
/** Vendors that do not answer at the moment. */
const down = new Set<string>();

function answer(request: Received) {
  const vendor = request.path.split("/")[1] ?? ""; // the hosts of the targets below
  if (down.has(vendor)) return jsonAnswer({ error: { message: "down" } }, { status: 500 });
  if (vendor in SIGNING_VENDORS) return SIGNING_VENDORS[vendor as keyof typeof SIGNING_VENDORS](request);
  return request.path.endsWith("/responses") ? answerResponse(request) : answerOf(vendor as "openai", request);
}
beforeAll(async () => {
  upstream = replayServer(answer);
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const gateOf = (vendors: readonly string[], strict: boolean) => ({
  base: gateway.base,
  headers: {
    "x-gateway-strict-open-ai-compliance": String(strict),
    "x-gateway-config": JSON.stringify({
      strategy: { mode: "fallback" },
      targets: vendors.map((provider) => ({
        provider,
        custom_host: `${upstream.url}/${provider}`,
        ...(provider !== "bedrock" && { api_key: "sk-vendor" }),
        ...TARGETS[provider],
      })),
    }),
  },
});

/** The first vendor calls the tool, the second reads the result while the first is away, the first goes on. */
async function movedAndBack(talk: Talk, from: string): Promise<readonly string[]> {
  const history: unknown[] = [];
  const turn = async (said: unknown, stream: boolean): Promise<Spoken> => {
    history.push(said);
    const spoken = await talk.ask(history, stream);
    history.push(...spoken.kept);
    return spoken;
  };
  const texts: string[] = [];
  for (const stream of [false, true]) {
    const asked = await turn(talk.user("What is the weather in Oslo?"), stream);
    down.add(from);
    const moved = await turn(talk.result(asked.callId ?? expect.unreachable(), "sunny"), stream).finally(() => down.delete(from));
    const again = await turn(talk.user("And now?"), stream);
    const back = await turn(talk.result(again.callId ?? expect.unreachable(), "sunny"), stream);
    texts.push(moved.text, back.text);
  }
  return texts;
}
const SUNNY = ["Sunny in Oslo.", "Sunny in Oslo.", "Sunny in Oslo.", "Sunny in Oslo."];

const lastTo = (vendor: string): string =>
  upstream.received.findLast(({ path }) => path.startsWith(`/${vendor}/`))?.text() ?? expect.unreachable();
const signedBy = (vendor: string, body: string): number => body.split(SIGNATURES[vendor] ?? "nobody").length - 1;

const PAIRS = VENDORS.flatMap((from) => VENDORS.filter((to) => to !== from).map((to) => [from, to] as const));
describe.each(Object.entries(TALKS))("a conversation of %s in the middle of a tool call goes on", (_dialect, talkOf) => {
  test.each(PAIRS)(verifies("D8.moved", "from %s to %s and back"), async (from, to) => {
    expect(await movedAndBack(talkOf(gateOf([from, to], false)), from)).toEqual(SUNNY);
    // it was asked twice for a call in each half, and signed each of them
    if (from in SIGNATURES) expect(signedBy(from, lastTo(from))).toBeGreaterThanOrEqual(4);
  });
});

describe("of a client that is shown nothing beyond its form", () => {
  test.each(PAIRS)(verifies("D8.moved", "from %s to %s and back"), async (from, to) => {
    for (const talkOf of [TALKS["chat"], TALKS["messages"]])
      expect(await movedAndBack(talkOf?.(gateOf([from, to], true)) ?? expect.unreachable(), from)).toEqual(SUNNY);
  });
});

describe("of a client of Gemini that writes signatures anew", () => {
  test.each(PAIRS)(verifies("D8.signatures", "from %s to %s and back"), async (from, to) => {
    expect(await movedAndBack(rewritingGemini(gateOf([from, to], false)), from)).toEqual(SUNNY);
  });
});
