/**
 * Azure OpenAI through the gateway's own routes, with the host names of Azure and of Entra served on this machine:
 * which host a resource is, how tokens are fetched for it, and what a client is told when there is none.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { afterEach, describe, expect, test } from "bun:test";
import { definePlugin, headerClasses, type Manifest, pluginName } from "#contract";
import type { Egress, EgressRequest } from "../../core/egress/egress.ts";
import { registry } from "../../core/generated/registry.ts";
import { serveGeneration } from "../../core/http/server.ts";
import type { Built } from "../../core/kernel/boot.ts";
import { ownKeys } from "../../core/kernel/secrets/own-keys.ts";
import { readSettings } from "../../core/kernel/settings/settings.ts";
import { STEP_LIMITS } from "../../core/kernel/life.ts";
import { egressWith } from "../egress/support.ts";
import { bootWith, type Given, inFolder } from "../kit/deployment.ts";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer } from "../kit/replay.ts";
import { CALLERS } from "../kit/tenants.ts";
import { verifies } from "../requirements/verifies.ts";

const CHAT = { model: "gpt", messages: [{ role: "user", content: "Hello" }] };
const COMPLETION = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};
const ENTRA = {
  azure_resource_name: "contoso",
  azure_auth_mode: "entra",
  azure_entra_tenant_id: "fabrikam.onmicrosoft.com",
  azure_entra_client_id: "11111111-2222-4333-8444-555555555555",
  azure_entra_client_secret: "s3cret",
};
const TOKEN_PATH = "/login.microsoftonline.com/fabrikam.onmicrosoft.com/oauth2/v2.0/token";
const CHAT_PATH = "/contoso.openai.azure.com/openai/v1/chat/completions";

/* ── a gateway whose network ends on this machine ────────────────────────────────────────────────────────────── */

const anybody: Given = {
  manifest: { kind: "policy", id: "anybody" },
  module: () => ({
    default: definePlugin({
      kind: "policy",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { identify: () => CALLERS.workspace } }),
    }),
  }),
};
const PLUGINS = ["provider/azure-openai", "provider/openai", "api/chat", "policy/single", "policy/fallback"];
const rows = registry.filter(({ manifest }) => PLUGINS.includes(pluginName(manifest as Manifest))); // those of the tree are valid

let cloud: ReplayServer | undefined;
let built: Built | undefined;
afterEach(async () => {
  await built?.end();
  await cloud?.close();
});

/** The gateway's egress, led to this machine: the host that was called stands first in the path. */
function ledTo(url: string): Egress {
  const local = egressWith({ trustedHosts: ["127.0.0.1"] });
  const led = <R extends Pick<EgressRequest, "url">>(request: R): R => ({ ...request, url: request.url.replace(/^https:\//, url) });
  return {
    judgeUrl: local.judgeUrl,
    open: 0,
    call: (request) => local.call(led(request)),
    send: (request) => local.send(led(request)),
    connect: (request) => local.connect(led(request)),
    addresses: local.addresses,
  };
}

interface World {
  readonly seen: readonly Received[];
  chat(headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<{ readonly status: number; readonly error: unknown }>;
}
async function world(
  answer: (request: Received) => Replay | Promise<Replay>,
  { env = {}, now = Date.now }: { readonly env?: Readonly<Record<string, string>>; readonly now?: () => number } = {},
): Promise<World> {
  const server = (cloud = replayServer(answer));
  const settings = readSettings(env);
  built = await bootWith([...rows, anybody], { egress: ledTo(server.url), limits: STEP_LIMITS, settings, now });
  const { fetch } = serveGeneration(built.generation, {
    maxJsonBytes: 65_536,
    maxDepth: 32,
    headers: headerClasses([]),
    ownKeys: ownKeys({ digest: (text) => text }),
    now: Date.now,
    log: built.generation.log,
    redact: (value) => value,
    isLoop: () => false,
  });
  return {
    seen: server.received,
    async chat(headers, signal) {
      const request = new Request("http://localhost/v1/chat/completions", {
        method: "POST",
        headers: { "x-gateway-api-key": "k", "content-type": "application/json", ...headers },
        body: JSON.stringify(CHAT),
        ...(signal && { signal }),
      });
      const response = await fetch(request);
      return { status: response.status, error: ((await response.json()) as { error?: unknown }).error };
    },
  };
}

const grant = (token: string): Replay => jsonAnswer({ token_type: "Bearer", expires_in: 3600, access_token: token });
const isToken = ({ path }: Received): boolean => path.endsWith("/oauth2/v2.0/token");
const config = (body: object): Readonly<Record<string, string>> => ({ "x-gateway-config": JSON.stringify(body) });
const entra = (more: object = {}) => config({ provider: "azure-openai", api_key: "not-to-be-sent", ...ENTRA, ...more });
const credentials = ({ path, headers }: Received): unknown => [path, headers.get("authorization"), headers.get("api-key")];

describe("a resource", () => {
  test(verifies("5.cloud-a-headers", "is named by x-gateway-azure-resource-name: it is the host that is called"), async () => {
    const { chat, seen } = await world(() => jsonAnswer(COMPLETION));
    for (const name of ["contoso", "Fabrikam-2"])
      expect(
        await chat({ "x-gateway-provider": "azure-openai", authorization: "Bearer azure-key", "x-gateway-azure-resource-name": name }),
      ).toMatchObject({ status: 200 });
    expect(seen.map(credentials)).toEqual([
      [CHAT_PATH, null, "azure-key"],
      ["/Fabrikam-2.openai.azure.com/openai/v1/chat/completions", null, "azure-key"],
    ]);
  });
});

describe("a token of an Entra application", () => {
  test("is fetched through the gateway's egress once, and goes to the resource of every request", async () => {
    const { chat, seen } = await world((request) => (isToken(request) ? grant("t1") : jsonAnswer(COMPLETION)));
    const answers = await Promise.all([chat(entra()), chat(entra()), chat(entra())]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(seen.map(credentials)).toEqual([[TOKEN_PATH, null, null], ...Array(3).fill([CHAT_PATH, "Bearer t1", null])]);
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.text()))).toEqual({
      grant_type: "client_credentials",
      client_id: ENTRA.azure_entra_client_id,
      client_secret: "s3cret",
      scope: "https://cognitiveservices.azure.com/.default",
    });
  });
  test(verifies("D2.cloud-a-entra", "comes by headers too, and is renewed before it expires"), async () => {
    let now = Date.UTC(2026, 0, 1);
    let number = 0;
    const { chat, seen } = await world((request) => (isToken(request) ? grant(`t${(number += 1)}`) : jsonAnswer(COMPLETION)), {
      now: () => now,
    });
    const headers = Object.fromEntries(Object.entries(ENTRA).map(([name, value]) => [`x-gateway-${name.replaceAll("_", "-")}`, value]));
    for (const minutes of [0, 54, 2]) {
      now += minutes * 60_000;
      expect(await chat({ "x-gateway-provider": "azure-openai", ...headers })).toMatchObject({ status: 200 });
    }
    expect(seen.filter((one) => !isToken(one)).map((one) => one.headers.get("authorization"))).toEqual([
      "Bearer t1",
      "Bearer t1",
      "Bearer t2",
    ]);
  });
  test("that is refused is the client's authentication error, and lets the next target answer", async () => {
    const refusal = jsonAnswer(
      { error: "invalid_client", error_description: "AADSTS7000215: Invalid client secret.\r\nTrace" },
      { status: 401 },
    );
    const { chat, seen } = await world((request) => (isToken(request) ? refusal : jsonAnswer(COMPLETION)));
    expect(await chat(entra())).toEqual({
      status: 401,
      error: {
        message: "azure-openai error: no token from Microsoft Entra: AADSTS7000215: Invalid client secret.",
        type: "authentication_error",
        param: null,
        code: "entra_token",
      },
    });
    const targets = [
      { provider: "azure-openai", ...ENTRA },
      { provider: "openai", api_key: "sk-next" },
    ];
    expect(await chat(config({ strategy: { mode: "fallback" }, targets }))).toMatchObject({ status: 200 });
    expect(seen.map(credentials)).toEqual([
      [TOKEN_PATH, null, null],
      [TOKEN_PATH, null, null],
      ["/api.openai.com/v1/chat/completions", "Bearer sk-next", null],
    ]);
  });
  test("is waited for no longer than the request may take, nor when its client has left; others go on waiting", async () => {
    const held = Promise.withResolvers<Replay>();
    const asked = Promise.withResolvers<void>();
    const { chat, seen } = await world((request) => {
      if (!isToken(request)) return jsonAnswer(COMPLETION);
      asked.resolve();
      return held.promise;
    });
    const patient = chat(entra());
    await asked.promise;
    const leaving = new AbortController();
    const left = chat(entra(), leaving.signal);
    expect(await chat({ ...entra(), "x-gateway-request-timeout": "30" })).toMatchObject({ status: 408 });
    leaving.abort();
    expect(await left).toMatchObject({ status: 499 });
    held.resolve(grant("late"));
    expect(await patient).toMatchObject({ status: 200 });
    expect(seen.map(credentials)).toEqual([
      [TOKEN_PATH, null, null],
      [CHAT_PATH, "Bearer late", null],
    ]);
  });
});

describe("the gateway's workload identity", () => {
  const workload = (more: object = {}) =>
    config({ provider: "azure-openai", azure_resource_name: "contoso", azure_auth_mode: "workload", ...more });

  test(verifies("D2.cloud-a-workload", "is what the environment says, as Azure's workload identity sets it"), () =>
    inFolder(async (folder) => {
      const file = join(folder, "token");
      writeFileSync(file, "assertion.jwt");
      const env = {
        AZURE_AUTHORITY_HOST: "https://login.microsoftonline.us/",
        AZURE_TENANT_ID: "tenant-of-the-pod",
        AZURE_CLIENT_ID: "client-of-the-pod",
        AZURE_FEDERATED_TOKEN_FILE: file,
      };
      const { chat, seen } = await world((request) => (isToken(request) ? grant("t") : jsonAnswer(COMPLETION)), { env });
      expect(await chat(workload())).toMatchObject({ status: 200 });
      expect(seen.map(credentials)).toEqual([
        ["/login.microsoftonline.us/tenant-of-the-pod/oauth2/v2.0/token", null, null],
        [CHAT_PATH, "Bearer t", null],
      ]);
      expect(new URLSearchParams(seen[0]?.text()).get("client_assertion")).toBe("assertion.jwt");
      expect(await chat(workload({ custom_host: "https://evil.example.com/openai" }))).toMatchObject({ status: 400 });
      expect(seen.length).toBe(2);
    }),
  );
  test("is not there unless the operator gives one", async () => {
    const { chat, seen } = await world(() => jsonAnswer(COMPLETION));
    expect(await chat(workload())).toMatchObject({ status: 400, error: { param: "azure_auth_mode" } });
    expect(seen.length).toBe(0);
  });
});
