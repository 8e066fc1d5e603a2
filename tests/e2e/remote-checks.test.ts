/** Checks that run at a service of somebody's own: what it is sent, what its answers become, and what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { isJson } from "#contract";
import { problems } from "../../core/json/shape.ts";
import { Question } from "../../guardrails/remote/schema.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, type Answer, ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";
import { type RemoteService, SECRET, signatureOf, signed, startRemoteService } from "./remote-service.ts";

let gateway: GatewayProcess;
let service: RemoteService;
const python = Bun.which("python3");
const pythonPort = await freePort();
beforeAll(async () => {
  service = startRemoteService();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `${service.host},127.0.0.1:${pythonPort}` } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await service.close();
});
afterEach(() => service.answers(() => ({ answer: { verdict: "allow" } })));

const check = (more: object = {}) => ({ url: service.url, secret: SECRET, ...more });
const asked = (content: string, more: object = {}, rules: object = {}): Promise<Answer> =>
  chat(
    gateway,
    { messages: [{ role: "user", content }] },
    {
      "x-gateway-config": JSON.stringify({
        provider: "sandbox",
        input_guardrails: [{ "remote.check": check(more), deny: true, ...rules }],
      }),
    },
  );
interface Shown {
  readonly verdict: boolean;
  readonly data: unknown;
  readonly error: { readonly name: string; readonly message: string } | null;
}
function shownIn({ json, text }: Answer): Shown {
  const results: unknown = json["hook_results"];
  const hooks = isJson(results) ? (results["before_request_hooks"] as readonly { readonly checks: readonly Shown[] }[]) : []; // as documented
  return hooks[0]?.checks[0] ?? expect.unreachable(text);
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

describe("a service is asked", () => {
  test(
    verifies("G.remote.signed", "by a signed question of the published form, which holds what `send` names and nothing else"),
    async () => {
      expect((await asked("Hello 😀", { parameters: { level: 2 } })).status).toBe(200);
      const { headers, body, json } = service.heard.at(-1) ?? expect.unreachable();
      expect(problems(Question, json)).toEqual([]);
      const id = headers.get("webhook-id") ?? "";
      const timestamp = headers.get("webhook-timestamp") ?? "";
      expect([json["id"], headers.get("webhook-signature")]).toEqual([id, signatureOf(id, timestamp, body)]);
      expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
      expect(json).toMatchObject({
        ...{ version: "1", side: "input", parameters: { level: 2 } },
        segments: [{ path: "messages[0].content", role: "user", kind: "text", text: "Hello 😀" }],
        context: { request_type: "chatComplete", provider: "sandbox", model: "echo", streamed: false, status: null },
      });
      expect(Object.keys(json).sort()).toEqual(["context", "id", "parameters", "segments", "side", "version"]);
      await asked("Hello", { send: ["text", "request"] });
      expect(service.heard.at(-1)?.json).toMatchObject({ text: "Hello", request: { model: "echo" } });
      expect(body).not.toContain(SECRET);
    },
  );
  test("under another id each time", async () => {
    await Promise.all([asked("one"), asked("two")]);
    const ids = service.heard.slice(-2).map(({ json }) => json["id"]);
    expect(new Set(ids).size).toBe(2);
  });
  test("not at an address that the gateway may not call, nor with more than it takes", async () => {
    const before = service.heard.length;
    const blocked = await asked("hi", { url: "http://127.0.0.1:1/judge" });
    expect(shownIn(blocked).error).toMatchObject({
      name: expect.stringContaining("onfiguration"),
      message: expect.stringContaining("may not be called"),
    });
    const long = await asked("x".repeat(4_100_000));
    expect([long.status, shownIn(long).error?.name]).toEqual([446, "Budget error"]);
    expect(service.heard.length).toBe(before);
  });
  test("with a secret that is sealed where it is kept and shown masked", async () => {
    const feedback = { value: 1, weight: 1, metadata: "" };
    const rules = { deny: true, async: false, on_success: { feedback }, on_fail: { feedback } };
    const saved = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
      name: "Remote",
      checks: [{ id: "remote.check", parameters: check() }],
      actions: rules,
    });
    expect([saved.status, saved.text]).toEqual([200, saved.text]);
    const read = await ask(`${gateway.base}/v2/guardrails/${String(saved.json["id"])}`, "GET", ADMIN_KEY);
    expect(read.text).toContain(service.url);
    expect(read.text).not.toContain(SECRET);
    const config = JSON.stringify({ provider: "sandbox", input_guardrails: [String(saved.json["slug"])] });
    const answer = await chat(gateway, {}, { "x-gateway-config": config });
    expect([answer.status, shownIn(answer).error]).toEqual([200, null]);
  });
});

describe("an answer", () => {
  test(verifies("G.remote.verdicts", "passes, denies with its reason, and changes texts on either side"), async () => {
    service.answers(() => ({ answer: { verdict: "deny", reason: "No codenames.", data: { found: 1 }, newer: true } }));
    const denied = await asked("Bluebird");
    expect([denied.status, shownIn(denied)]).toMatchObject([446, { verdict: false, data: { found: 1 }, error: null }]);
    service.answers(({ json }) => {
      const segments = json["segments"] as readonly { readonly path: string; readonly text: string }[]; // the default `send`
      return {
        answer: { verdict: "transform", patches: segments.map(({ path, text }) => ({ path, text: text.replaceAll("Bluebird", "***") })) },
      };
    });
    const redacted = await asked("About Bluebird");
    expect(redacted.status).toBe(200);
    expect(redacted.text).toContain("About ***");
    expect(redacted.text).not.toContain("Bluebird");
    const config = JSON.stringify({ provider: "sandbox", output_guardrails: [{ "remote.check": check() }] });
    const out = await chat(gateway, { messages: [{ role: "user", content: "Bluebird flies" }] }, { "x-gateway-config": config });
    expect(JSON.stringify(out.json["choices"])).toContain("*** flies");
  });

  const FAILS: readonly (readonly [what: string, error: string, status: number, Parameters<RemoteService["answers"]>[0]])[] = [
    ["401", "Authentication error", 446, () => new Response("no", { status: 401 })],
    ["429", "Unavailable error", 200, () => new Response("slow down", { status: 429 })],
    ["500", "Unavailable error", 200, () => new Response("oops", { status: 500 })],
    ["that says it could not judge", "Unavailable error", 200, () => ({ answer: { verdict: "error", message: "The model is loading." } })],
    ["of another form", "Malformed answer error", 200, () => ({ answer: { verdict: "maybe" } })],
    ["that is no JSON", "Malformed answer error", 200, ({ headers }) => signedText("<html>", headers.get("webhook-id") ?? "")],
    ["of more than 1 MB", "Malformed answer error", 200, () => ({ answer: { verdict: "allow", data: "x".repeat(1_100_000) } })],
    ["that is not signed", "Authentication error", 446, () => Response.json({ verdict: "allow" })],
    [
      "of a wrong signature",
      "Authentication error",
      446,
      () => ({ answer: { verdict: "allow" }, secret: "whsec_b3RoZXItc2VjcmV0LTAxMjM0NTY3ODk=" }),
    ],
    ["that never comes", "Timeout error", 200, () => new Promise(() => undefined)],
    [
      "that comes too slowly",
      "Timeout error",
      200,
      () => new Response(new ReadableStream({ pull: (to) => Bun.sleep(40).then(() => to.enqueue(" ")) })),
    ],
  ];
  test.each(FAILS)(
    verifies("G.remote.failures", "%s is the error %s, and the guardrail then answers %d"),
    async (_, name, status, answer) => {
      service.answers(answer);
      const got = await asked("hello", { timeout: 300 });
      expect([shownIn(got).error?.name, got.status]).toEqual([name, status]);
      expect(got.text).not.toContain(SECRET);
    },
  );
  test(verifies("G.remote.replay", "that was recorded is none to another question"), async () => {
    const recorded: Response[] = [];
    service.answers(({ headers }) => {
      const answer = signed({ answer: { verdict: "allow" } }, headers.get("webhook-id") ?? "");
      recorded.push(answer.clone());
      return answer;
    });
    expect((await asked("harmless")).status).toBe(200);
    service.answers(() => recorded[0] ?? expect.unreachable());
    const replayed = await asked("harmful");
    expect([replayed.status, shownIn(replayed).error?.message]).toEqual([446, expect.stringContaining("another question")]);
  });
  test("that sends the question back is no verdict", async () => {
    service.answers(({ headers, body }) => signedText(body, headers.get("webhook-id") ?? ""));
    expect(shownIn(await asked("hello")).error?.name).toBe("Malformed answer error");
  });
});

function signedText(body: string, id: string): Response {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return new Response(body, {
    headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatureOf(id, timestamp, body) },
  });
}

/** Where there is no Python, nobody can run the documents' example. */
if (python !== null)
  test(verifies(
    "G.remote.language",
    "the example of the documents, in Python, passes, denies, redacts, and refuses what is not signed",
  ), async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-remote-"));
    const document = readFileSync(join(import.meta.dir, "../../docs/remote-guardrails.md"), "utf8");
    const example = /```python\n([\s\S]*?)```/.exec(document)?.[1] ?? expect.unreachable();
    writeFileSync(join(folder, "service.py"), example);
    const running = Bun.spawn([python, join(folder, "service.py")], {
      env: { SECRET, PORT: String(pythonPort) },
      stdout: "ignore",
      stderr: "ignore",
    });
    const url = `http://127.0.0.1:${pythonPort}/judge`;
    try {
      await until("it listens", () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
      expect((await asked("fine", { url })).status).toBe(200);
      expect((await asked("forbidden", { url })).status).toBe(446);
      expect((await asked("About Bluebird", { url })).text).toContain("About ***");
      expect(shownIn(await asked("fine", { url, secret: "another-secret-0123456789" })).error?.name).toBe("Authentication error");
    } finally {
      running.kill();
      await running.exited;
      rmSync(folder, { recursive: true, force: true });
    }
  }, 30_000);
