/** Request headers beside the common ones: traces of others, flags, vendors' own headers, and what is refused before any routing. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { chat, GATEWAY_KEY } from "../process.ts";
import { at, bodyOf, forAll, type Json, logOf } from "./api.ts";

const api = forAll();
const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};
const MESSAGE: Json = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "c",
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};
type Headers = Readonly<Record<string, string>>;
/** What the provider was sent, when the request has these headers. */
async function sentWith(headers: Headers, answer: Json = COMPLETION): Promise<globalThis.Headers> {
  api.upstream.answer(jsonAnswer(answer));
  bodyOf(await chat(api.gateway, {}, { ...api.replayed, ...headers }));
  return api.upstream.received.at(-1)?.headers ?? expect.unreachable();
}

describe("traceparent", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
  const spans = async (headers: Headers): Promise<Json> => {
    const answer = await chat(api.gateway, {}, headers);
    const id = answer.headers.get("x-gateway-request-id") ?? "";
    const { trace_id, span_id, parent_span_id, span_name } = (await logOf(api, id))["metrics"] as Json; // an object, as the log's own tests say
    return { sentBack: answer.headers.get("x-gateway-trace-id"), trace_id, span_id, parent_span_id, span_name };
  };
  test(verifies("D2.traceparent", "puts a request into its trace, in a span of its own below the caller's"), async () => {
    const [one, other] = [await spans({ traceparent: TRACEPARENT }), await spans({ traceparent: TRACEPARENT })];
    expect(one).toEqual({
      sentBack: TRACE,
      trace_id: TRACE,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      parent_span_id: "b7ad6b7169203331",
      span_name: "POST /v1/chat/completions",
    });
    expect(other["span_id"]).not.toBe(one["span_id"]);
  });
  test("gives way to what x-gateway headers say, and to their trace altogether", async () => {
    expect(await spans({ traceparent: TRACEPARENT, "x-gateway-span-name": "answer", "x-gateway-span-id": "mine" })).toMatchObject({
      trace_id: TRACE,
      span_id: "mine",
      parent_span_id: "b7ad6b7169203331",
      span_name: "answer",
    });
    const own = await spans({ traceparent: TRACEPARENT, "x-gateway-trace-id": "mine" });
    expect(own).toMatchObject({ sentBack: "mine", trace_id: "mine" });
    expect(own["parent_span_id"] ?? null).toBeNull();
  });
  test.each(["00-0af7", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, `00-${TRACE}-${"0".repeat(16)}-01`, "x".repeat(5_000)])(
    "that is none is no matter: %s",
    async (traceparent) => {
      const { sentBack, parent_span_id } = await spans({ traceparent });
      expect([sentBack === TRACE, parent_span_id ?? null]).toEqual([false, null]);
    },
  );
});

describe("flags and lists", () => {
  test(
    verifies("D2.beta", "flags of x-gateway-beta that nobody knows are no matter"),
    async () => void bodyOf(await chat(api.gateway, {}, { "x-gateway-beta": "of-tomorrow-2030-01-01,another" })),
  );
  test.each(["x-gateway-forward-headers", "x-gateway-default-input-guardrails"])(
    verifies("D2.forward-itself", "a list of headers to forward that holds %s is refused"),
    async (name) => void bodyOf(await chat(api.gateway, {}, { ...api.replayed, "x-gateway-forward-headers": `x-team,${name}` }), 400),
  );
  test(verifies("D2.internal", "guardrails that a client injects by a header of the gateway's own are not there"), async () => {
    const deny = JSON.stringify([{ "default.contains": { words: ["Hello"], operator: "none" }, deny: true }]);
    const sent = await sentWith({ "x-gateway-default-input-guardrails": deny, "x-gateway-default-output-guardrails": deny });
    expect([...sent.keys()].filter((name) => name.includes("default"))).toEqual([]);
  });
});

describe("x-gateway-retry-count", () => {
  /** The provider fails so often, and then answers. */
  async function triesWith(headers: Headers, failures: number): Promise<readonly [status: number, tries: number, told: string | null]> {
    let tries = 0;
    api.upstream.answer(() => (++tries > failures ? jsonAnswer(COMPLETION) : { ...jsonAnswer({ error: { message: "no" } }), status: 500 }));
    const answer = await chat(api.gateway, {}, { ...api.replayed, ...headers });
    return [answer.status, tries, answer.headers.get("x-gateway-retry-attempt-count")];
  }
  test(verifies("D2.retry-count", "asks again so often where no config says how often"), async () => {
    expect(await triesWith({ "x-gateway-retry-count": "1" }, 1)).toEqual([200, 2, "1"]);
    expect(await triesWith({ "x-gateway-retry-count": "0" }, 1)).toEqual([500, 1, "0"]);
    const own = JSON.stringify({ provider: "openai", custom_host: `${api.upstream.url}/v1`, retry: { attempts: 0 } });
    expect(await triesWith({ "x-gateway-retry-count": "1", "x-gateway-config": own }, 1)).toEqual([500, 1, "0"]);
  });
  test(verifies("D2.retry-count", "that is no number is refused"), async () => {
    expect(await triesWith({ "x-gateway-retry-count": "often" }, 0)).toEqual([400, 0, null]);
  });
});

describe("a vendor's own header", () => {
  const CLAUDE = { "x-gateway-provider": "anthropic" };
  test.each<[string, string, Headers, Json]>([
    ["x-gateway-anthropic-version", "anthropic-version", CLAUDE, MESSAGE],
    ["x-gateway-anthropic-beta", "anthropic-beta", CLAUDE, MESSAGE],
    ["x-gateway-openai-organization", "openai-organization", {}, COMPLETION],
    ["x-gateway-openai-project", "openai-project", {}, COMPLETION],
    ["x-gateway-openai-beta", "openai-beta", {}, COMPLETION],
  ])(verifies("D2.vendor-headers", "%s reaches its vendor as %s, and no other"), async (name, theirs, provider, answer) => {
    expect((await sentWith({ ...provider, [name]: "said-2030" }, answer)).get(theirs)).toBe("said-2030");
    const [another, itsAnswer] = answer === MESSAGE ? [{}, COMPLETION] : [CLAUDE, MESSAGE];
    expect(JSON.stringify([...(await sentWith({ ...another, [name]: "said-2030" }, itsAnswer))])).not.toContain("said-2030");
  });
  test(verifies("D2.anthropic-beta", "anthropic_beta of a config is Anthropic's header"), async () => {
    const target = { provider: "anthropic", api_key: "k", custom_host: `${api.upstream.url}/v1`, anthropic_beta: "files-2030" };
    const sent = await sentWith({ "x-gateway-provider": "", "x-gateway-config": JSON.stringify(target) }, MESSAGE);
    expect(sent.get("anthropic-beta")).toBe("files-2030");
  });
});

describe("before any routing a request is refused, with 400, status failure and a message,", () => {
  const refusal = async (headers: Headers, body: Json = {}): Promise<Json> => {
    const before = api.upstream.received.length;
    const refused = bodyOf(await chat(api.gateway, body, headers), 400);
    expect([refused["status"], refused["message"]]).toEqual(["failure", at(refused, "error", "message")]);
    expect(api.upstream.received.length).toBe(before);
    return refused;
  };
  test(verifies("D2.refused-type", "for a content type that no operation reads"), async () => {
    const response = await fetch(`${api.gateway.base}/v1/chat/completions`, {
      method: "POST",
      headers: { ...api.replayed, "content-type": "text/plain", "x-gateway-api-key": GATEWAY_KEY },
      body: "{}",
    });
    expect({ status: response.status, body: (await response.json()) as Json }).toMatchObject({
      status: 400,
      body: { status: "failure", message: expect.stringContaining("text/plain"), error: { param: "content-type" } },
    });
  });
  test(verifies("D2.refused-provider", "where no provider is named, or one that there is not"), async () => {
    expect((await refusal({ "x-gateway-provider": "" }))["message"]).toContain("x-gateway-provider");
    expect((await refusal({ "x-gateway-provider": "nobody" }))["message"]).toContain("no provider nobody");
    expect((await refusal({ "x-gateway-provider": "@nobody" }))["message"]).toContain("@nobody");
  });
  test.each(["not a host", "ftp://a.example/v1", "//a.example/v1"])(
    verifies("D2.refused-host", "for a custom host that is none: %s"),
    async (host) => {
      expect((await refusal({ ...api.replayed, "x-gateway-custom-host": host }))["message"]).toContain("host");
    },
  );
  test.each<[string, string, string]>([
    ["that is no JSON", "{", "x-gateway-config"],
    ["with a member of another type", '{"strategy":{"mode":"fallback"},"targets":5}', "config.targets"],
    [
      "with a wrong member in a target",
      '{"strategy":{"mode":"fallback"},"targets":[{"provider":"sandbox","weight":-1}]}',
      "config.targets[0].weight",
    ],
    ["of the older form", '{"options":[{"provider":"sandbox"}]}', "options"],
    ["that nobody saved", "pc-nobody", "x-gateway-config"],
  ])(verifies("D2.refused-config", "for a config %s, with the place at fault"), async (_, config, param) => {
    expect(at(await refusal({ "x-gateway-provider": "", "x-gateway-config": config }), "error", "param")).toBe(param);
  });
});
