/** What a provider says of a refusal beside its message, and when to come back: told by each of them, read by the official client. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { Manifest } from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { jsonAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { forAll } from "./endpoints/api.ts";
import { clientOf, failureOf } from "./endpoints/client.ts";

const api = forAll();

type Json = Readonly<Record<string, unknown>>;
/** Vendors that write errors in a form of their own, with a member that the client's form does not have. */
const OWN: Readonly<Record<string, { readonly body: Json; readonly extra: Json }>> = {
  anthropic: { body: { type: "error", error: { type: "rate_limit_error", message: "slow down", limit: 50 } }, extra: { limit: 50 } },
  bedrock: { body: { message: "slow down", limit: 50 }, extra: { limit: 50 } },
  google: { body: { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED", limit: 50 } }, extra: { limit: 50 } },
};
const LIKE_OPENAI = {
  body: { error: { message: "slow down", type: "rate_limit_error", code: "busy", param: null, limit: 50 } },
  extra: { limit: 50 },
};
const errorOf = (id: string) => OWN[id === "vertex-ai" ? "google" : id] ?? LIKE_OPENAI;

/** What a target of it says besides its host. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bedrock: { "x-gateway-aws-access-key-id": "AKIA", "x-gateway-aws-secret-access-key": "secret" },
  "vertex-ai": { "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "us-central1" },
  "azure-openai": { "x-gateway-azure-resource-name": "contoso", "x-gateway-azure-api-version": "v1" },
};
const PROVIDERS = registry
  .map(({ manifest }) => manifest as Manifest) // checked by the boot of the gateway
  .flatMap(({ kind, id }) => (kind === "provider" && id !== "sandbox" ? [id] : []));

test.each<[string, Json, Json]>([
  ["mistral-ai", { detail: [{ type: "extra_forbidden", loc: ["body", "store"], msg: "no" }] }, { detail: [{ loc: ["body", "store"] }] }],
  ["cerebras", { message: "no", type: "busy", param: null, code: "q", wait_seconds: 9 }, { wait_seconds: 9, type: "busy", code: "q" }],
  ["x-ai", { error: "no", code: "forbidden", request_cost: 1 }, { request_cost: 1, code: "forbidden" }],
])("an error of %s that is the whole body is told whole: %j", async (id, body, told) => {
  api.upstream.answer(jsonAnswer(body, { status: 422 }));
  const client = clientOf(api, { "x-gateway-provider": id, "x-gateway-custom-host": api.upstream.url });
  const thrown = await failureOf(client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi" }] }));
  expect(thrown).toMatchObject({ status: 422, error: { ...told, message: `${id} error: no` } });
});

describe.each(PROVIDERS)("an error of %s", (id) => {
  test.each([false, true])(verifies("D7.1.errors", "has all that it said, and when to come back (stream: %p)"), async (stream) => {
    const { body, extra } = errorOf(id);
    api.upstream.answer(jsonAnswer(body, { status: 429, headers: { "retry-after": "7" } }));
    const client = clientOf(api, { "x-gateway-provider": id, "x-gateway-custom-host": api.upstream.url, ...TARGETS[id] });
    const model = id === "bedrock" ? "amazon.nova-lite-v1:0" : "gemini-2.5-flash";
    const thrown = await failureOf(client.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }], stream }));
    expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
    const { message, error, headers } = thrown as InstanceType<typeof OpenAI.RateLimitError>;
    expect(message).toContain("slow down");
    expect(error).toMatchObject(extra);
    expect(headers.get("retry-after")).toBe("7");
  });
});
