/** Personal data and harmful content, found by the gateway itself: what its checks keep from whom, through the running server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
/** Another for each test: what one leaves in the log is not found by the next. */
let EMAIL = "";
let number = 0;
const CARD = "4111 1111 1111 1111";

let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
beforeEach(() => {
  EMAIL = `hidden.person${(number += 1)}@example.com`;
  upstream.answer(whole("Noted."));
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const answerOf = (message: Json): Replay =>
  jsonAnswer({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] });
const whole = (content: string): Replay => answerOf({ role: "assistant", content });
const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamOf = (texts: readonly string[]): Replay =>
  sseAnswer(
    `${chunk({ role: "assistant", content: "" })}${texts.map((content) => chunk({ content })).join("")}${chunk({}, "stop")}data: [DONE]\n\n`,
  );

const user = (content: string): Json => ({ role: "user", content });
const asking = (guardrails: Json, messages: readonly Json[], more: Json = {}): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "m", messages, ...more },
    { "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1`, ...guardrails }) },
  );
const pii = (parameters: Json, deny = true): Json => ({
  "gateway.pii": { categories: ["EMAIL_ADDRESS", "CREDIT_CARD"], ...parameters },
  deny,
});
const sent = (): string => upstream.received.at(-1)?.text() ?? "";
const textIn = ({ text }: Answer): string =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json).choices?.[0]?.delta?.content ?? "").join("");

/** Everything that is kept of a request: its log as it is shown, what the process printed, and every file it wrote. */
async function kept({ headers }: Answer): Promise<string> {
  const id = headers.get("x-gateway-trace-id") ?? "";
  const log = await until("the log is written", async () => {
    const shown = await ask(`${gateway.base}/v1/logs/${id}`, "GET", GATEWAY_KEY);
    return shown.status === 200 && shown.text;
  });
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return [log, gateway.output(), ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))].join("\n");
}

describe("gateway.pii", () => {
  test(
    verifies("2.3.pii", "a request with personal data is denied: its provider never sees it, and no result shows the value"),
    async () => {
      const before = upstream.received.length;
      const answer = await asking({ input_guardrails: [pii({})] }, [user(`Write to ${EMAIL}, please.`)]);
      expect([answer.status, upstream.received.length]).toEqual([446, before]);
      const [result] = (answer.json["hook_results"] as unknown as { before_request_hooks: { checks: { data: Json }[] }[] })
        .before_request_hooks;
      expect(result?.checks[0]?.data).toMatchObject({ verdict: false, detectedCategories: ["EMAIL_ADDRESS"] });
      expect(JSON.stringify(answer.json)).not.toContain(EMAIL);
    },
  );
  test(
    verifies("2.3.pii-redact", "a redacted value reaches neither the provider nor any log, in no message of the conversation"),
    async () => {
      const call = {
        id: "t1",
        type: "function",
        function: { name: "mail", arguments: JSON.stringify({ to: EMAIL, card: CARD, copies: 2 }) },
      };
      const answer = await asking({ input_guardrails: [pii({ redact: true })] }, [
        user(`I am ${EMAIL}.`),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "t1", content: `sent to ${EMAIL.toUpperCase()}` },
        { role: "user", content: [{ type: "text", text: `Charge ${CARD} and tell ${EMAIL} and other@example.com.` }] },
      ]);
      expect(answer.status).toBe(200);
      const { messages } = JSON.parse(sent()) as { messages: { content: unknown; tool_calls?: { function: { arguments: string } }[] }[] };
      expect(messages[0]?.content).toBe("I am {{EMAIL_ADDRESS_1}}.");
      expect(JSON.parse(messages[1]?.tool_calls?.[0]?.function.arguments ?? "")).toEqual({
        to: "{{EMAIL_ADDRESS_1}}",
        card: "{{CREDIT_CARD_1}}",
        copies: 2,
      });
      expect(messages[2]?.content).toBe("sent to {{EMAIL_ADDRESS_1}}");
      expect(messages[3]?.content).toEqual([
        { type: "text", text: "Charge {{CREDIT_CARD_1}} and tell {{EMAIL_ADDRESS_1}} and {{EMAIL_ADDRESS_2}}." },
      ]);
      const all = await kept(answer);
      expect([EMAIL, EMAIL.toUpperCase(), CARD].filter((value) => all.includes(value))).toEqual([]);
      expect(all).toContain("Charge {{CREDIT_CARD_1}}");
    },
  );
  test("an answer's values are replaced before the client has it, and numbers it speaks of already are not given away again", async () => {
    upstream.answer(whole(`{{EMAIL_ADDRESS_1}} wrote to ${EMAIL} about ${CARD}.`));
    const answer = await asking({ output_guardrails: [pii({ redact: true })] }, [user("Who?")]);
    expect((answer.json["choices"] as unknown as { message: { content: string } }[])[0]?.message.content).toBe(
      "{{EMAIL_ADDRESS_1}} wrote to {{EMAIL_ADDRESS_2}} about {{CREDIT_CARD_1}}.",
    );
    expect((await kept(answer)).includes(EMAIL)).toBe(false);
  });
  test("a streamed answer's values are replaced, however its chunks cut them", async () => {
    for (const size of [1, 3, 7, 200]) {
      const text = `Ask ${EMAIL} or ${EMAIL}; the card is ${CARD}.`;
      upstream.answer(streamOf(text.match(new RegExp(`.{1,${size}}`, "g")) ?? []));
      const answer = await asking({ output_guardrails: [pii({ redact: true })] }, [user("Whom?")], { stream: true });
      expect(textIn(answer)).toBe("Ask {{EMAIL_ADDRESS_1}} or {{EMAIL_ADDRESS_1}}; the card is {{CREDIT_CARD_1}}.");
      expect(answer.text).not.toContain("hidden");
      expect((await kept(answer)).includes(EMAIL)).toBe(false);
    }
  });
  test("a streamed answer with personal data is denied before its first byte", async () => {
    upstream.answer(streamOf(["Ask hidden.per", "son@exam", "ple.com."]));
    const answer = await asking({ output_guardrails: [pii({})] }, [user("Whom?")], { stream: true });
    expect([answer.status, answer.text.includes("hidden")]).toEqual([446, false]);
  });
  test("redact and not exclude each other, and a category that there is not is refused", async () => {
    for (const parameters of [{ redact: true, not: true }, { categories: ["SHOE_SIZE"] }, { categories: [] }])
      expect((await asking({ input_guardrails: [pii(parameters)] }, [user("Hello")])).status).toBe(400);
  });
});

describe("gateway.moderateContent", () => {
  const moderate = (categories: readonly string[]): Json => ({
    input_guardrails: [{ "gateway.moderateContent": { categories }, deny: true }],
  });
  test(
    verifies("2.3.moderate-content", "a threat is denied with the categories that it is of, and its provider never sees it"),
    async () => {
      const before = upstream.received.length;
      const answer = await asking(moderate(["harassment/threatening", "sexual"]), [user("I know where you live. Watch your back.")]);
      expect([answer.status, upstream.received.length]).toEqual([446, before]);
      expect(answer.text).toContain('"flaggedCategories":["harassment/threatening"]');
    },
  );
  test("a category that nobody asked for denies nothing, and a long text is judged like a short one", async () => {
    expect((await asking(moderate(["sexual"]), [user("I know where you live. Watch your back.")])).status).toBe(200);
    const long = `${"The ferry leaves at noon and the sea is calm. ".repeat(500)}I know where you live. Watch your back.`;
    expect((await asking(moderate(["harassment/threatening"]), [user(long)])).status).toBe(446);
  });
});
