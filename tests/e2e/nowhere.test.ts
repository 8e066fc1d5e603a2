/** What guardrails stop, or take out, is looked for everywhere: at the provider, the client, other checks, the log, metrics and the disk. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
/** In requests, and in answers. */
const ASKED = "zebrafish.asked@example.com";
const ANSWERED = "zebrafish.told@example.com";

let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = replayServer(answer);
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const said = `Write to ${ANSWERED} soon.`;
function answer({ path, json }: Received): Replay {
  if (path === "/hook") return jsonAnswer({ verdict: true });
  if ((json() as Json)["stream"] !== true)
    return jsonAnswer({
      ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
      choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const middle = said.indexOf("told");
  return sseAnswer(
    [chunk({ content: said.slice(0, middle) }), chunk({ content: said.slice(middle) }), chunk({}, "stop"), "data: [DONE]\n\n"].join(""),
  );
}

const admin = async (method: string, path: string, body?: Json): Promise<Answer> => {
  const answer = await ask(gateway.base + path, method, ADMIN_KEY, body);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer;
};
const setDefaults = (...slugs: readonly string[]) =>
  admin("PUT", "/v1/admin/organisation/defaults", { input_guardrails: slugs, output_guardrails: slugs });

/** Ways to ask, each with the word in it. */
interface Asked {
  readonly path: string;
  readonly body: Json;
}
const asksWith = (word: string): Readonly<Record<string, Asked>> => ({
  "a chat": { path: "/v1/chat/completions", body: { model: "m", messages: [{ role: "user", content: `I am ${word}.` }] } },
  "a streamed chat": {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: `I am ${word}.` }] },
  },
  "messages by translation": {
    path: "/v1/messages",
    body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: `I am ${word}.` }] },
  },
  "a response that is kept": { path: "/v1/responses", body: { model: "m", input: `I am ${word}.` } },
  "a streamed response that is kept": {
    path: "/v1/responses",
    body: { model: "m", stream: true, input: [{ role: "user", content: `I am ${word}.` }] },
  },
});
const WAYS = Object.keys(asksWith(""));
const askOf = (way: string, word: string): Asked => asksWith(word)[way] as Asked; // one of its own names
const asked = ({ path, body }: Asked, config: Json): Promise<Answer> =>
  ask(gateway.base + path, "POST", GATEWAY_KEY, body, {
    "x-gateway-config": JSON.stringify({
      provider: "together-ai",
      api_key: "k",
      custom_host: `${upstream.url}/v1`,
      strict_open_ai_compliance: false,
      ...config,
    }),
  });
const received = (path: string): string =>
  upstream.received
    .filter((request) => (request.path === "/hook") === (path === "/hook"))
    .map((request) => `${request.path} ${JSON.stringify([...request.headers])} ${request.text()}`)
    .join("\n");

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield path;
  }
}
/** The files of the data folder that hold a word. */
const holding = (word: string): readonly string[] => [...filesIn(gateway.dataDir)].filter((path) => readFileSync(path).includes(word));

/** The log of a request, with everything that there is of it. */
const logOf = (id: string): Promise<string> =>
  until(`the log ${id} is written`, async () => {
    const parts = await Promise.all(
      ["", "?type=hooks", "?type=request", "?type=response"].map((query) => ask(`${gateway.base}/v1/logs/${id}${query}`, "GET", ADMIN_KEY)),
    );
    return parts[0]?.status === 200 && parts.map(({ text }) => text).join("\n");
  });

describe("what is denied", () => {
  const denies = [{ id: "d", deny: true, "default.regexMatch": { rule: "[a-z]+[.](asked|told)@", not: true } }];
  test.each(WAYS)(verifies("G.engine.denied-input", "never reaches the provider: %s"), async (name) => {
    const before = upstream.received.length;
    const { status } = await asked(askOf(name, "walrus.asked@example.com"), { input_guardrails: denies });
    expect({ status, asked: upstream.received.length - before }).toEqual({ status: 446, asked: 0 });
  });
  test.each(WAYS)(verifies("G.engine.denied-output", "never reaches the client, not one byte: %s"), async (name) => {
    const answered = await asked(askOf(name, "walrus.asked@example.com"), { output_guardrails: denies });
    expect(answered.status).toBe(446);
    expect(answered.text).not.toContain("zebrafish");
    expect(answered.text).not.toContain("Write to");
  });
});

describe("what is taken out", () => {
  const hook = (more: Json = {}): Json => ({ id: "hook", "default.webhook": { webhookURL: `${upstream.url}/hook` }, ...more });
  const excerpt: Json = { id: "excerpt", "default.regexMatch": { rule: "." } };
  const own = (): readonly Json[] => [hook(), hook({ id: "beside", async: true }), excerpt];
  beforeAll(async () => {
    const actions: Json = {
      deny: false,
      async: false,
      on_success: { feedback: { value: 1, weight: 1, metadata: "" } },
      on_fail: { feedback: { value: -1, weight: 1, metadata: "" } },
    };
    const made = await admin("POST", "/admin/v2/guardrails", {
      ...{ name: "Hides addresses", actions },
      checks: [{ id: "gateway.pii", parameters: { categories: ["EMAIL_ADDRESS"], redact: true } }],
    });
    await setDefaults(String(made.json["slug"]));
  });
  test.each(WAYS)(verifies("G.engine.redacted", "appears nowhere: %s"), async (name) => {
    const before = upstream.received.length;
    const answered = await asked(askOf(name, ASKED), { input_guardrails: own(), output_guardrails: own() });
    expect({ status: answered.status, text: answered.text }).toMatchObject({ status: 200, text: expect.stringContaining("EMAIL_ADDRESS") });
    const log = await logOf(answered.headers.get("x-gateway-request-id") ?? "");
    const shownIds = [...answered.text.matchAll(/resp_gw_[0-9a-zA-Z_-]+/g)].map(([id]) => id);
    const kept = await Promise.all(
      shownIds
        .slice(0, 1)
        .flatMap((id) => ["", "/input_items"].map((rest) => ask(`${gateway.base}/v1/responses/${id}${rest}`, "GET", GATEWAY_KEY))),
    );
    await until(
      "the webhook beside the request is asked",
      () => upstream.received.slice(before).filter(({ path }) => path === "/hook").length >= 4,
    );
    const places = {
      provider: received("/"),
      "other checks": received("/hook"),
      client: answered.text + JSON.stringify([...answered.headers]),
      log,
      kept: kept.map(({ status, text }) => `${status} ${text}`).join("\n"),
      metrics: (await ask(`${gateway.base}/metrics`, "GET", ADMIN_KEY)).text,
      output: gateway.output(),
    };
    for (const [place, text] of Object.entries(places)) {
      expect({
        place,
        found: text.includes("zebrafish.asked"),
        of: text.slice(Math.max(0, text.indexOf("zebrafish.asked") - 200)).slice(0, 400),
      }).toMatchObject({ found: false });
      expect({
        place,
        found: text.includes("zebrafish.told"),
        of: text.slice(Math.max(0, text.indexOf("zebrafish.told") - 200)).slice(0, 400),
      }).toMatchObject({ found: false });
    }
    if (name.includes("kept")) expect(kept.map(({ status }) => status)).toEqual([200, 200]);
  });
  test(verifies("G.engine.redacted", "stands in no file of the gateway's, while it runs and when it has stopped"), async () => {
    for (const word of ["zebrafish.asked", "zebrafish.told"]) expect({ word, files: holding(word) }).toEqual({ word, files: [] });
    await gateway.stop();
    for (const word of ["zebrafish.asked", "zebrafish.told"]) expect({ word, files: holding(word) }).toEqual({ word, files: [] });
  });
});
