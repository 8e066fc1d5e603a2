/** Multipart forms on their way to a provider: an upload may take its time, but a client that falls silent is let go. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { Type } from "@sinclair/typebox";
import { type Caller, definePlugin, headerClasses, type Outcome, NO_CONTENT } from "#contract";
import { bootWith, type Given } from "#kit";
import { createEgress, type Egress } from "../egress/egress.ts";
import type { Built } from "../kernel/boot.ts";
import { ownKeys } from "../kernel/secrets/own-keys.ts";
import { serveGeneration } from "./server.ts";

/** The longest silence; what keeps arriving comes far oftener. */
const SILENT_MS = 400;
const PIECES = 12;
const EVERY_MS = 60;

const CALLER: Caller = {
  organisationId: "o",
  workspaceId: null,
  keyId: "k",
  keyName: "k",
  keyType: "organisation-service",
  userId: null,
  scopes: new Set(["completions.write"]),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
};
const ended: Outcome[] = [];
const door: Given = {
  manifest: { kind: "policy", id: "door" },
  module: () => ({
    default: definePlugin({
      kind: "policy",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { identify: () => CALLER, settle: (outcome) => void ended.push(outcome) } }),
    }),
  }),
};
const files: Given = {
  manifest: { kind: "api", id: "files", provides: ["uploadFile"] },
  module: () => ({
    default: definePlugin({
      kind: "api",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { operations: [{ operation: "uploadFile", content: NO_CONTENT, reply: Type.Unknown() }] } }),
    }),
  }),
};
const providerAt = (baseUrl: string): Given => ({
  manifest: { kind: "provider", id: "store" },
  module: () => ({
    default: definePlugin({
      kind: "provider",
      config: Type.Object({}),
      needs: [],
      setup: () => ({
        provides: { target: Type.Object({}), endpoint: () => ({ baseUrl, headers: {} }), operations: { uploadFile: {} } },
      }),
    }),
  }),
});

let upstream: ReturnType<typeof Bun.serve>;
let gateway: ReturnType<typeof Bun.serve>;
let built: Built;
let egress: Egress;
/** What reached the provider: its bytes, once all were there. */
let received: (string | "cut")[] = [];
let reached = 0;

beforeEach(async () => {
  ended.length = 0;
  received = [];
  reached = 0;
  upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      reached += 1;
      const text = await request.text().catch(() => "cut");
      received.push(text);
      return Response.json({ id: "file-1", bytes: text.length });
    },
  });
  egress = createEgress({ trustedHosts: ["127.0.0.1"], hardTimeoutMs: 30_000, now: Date.now, gatewayId: "g" });
  built = await bootWith([door, files, providerAt(`http://127.0.0.1:${upstream.port}/v1`)], { egress });
  const served = serveGeneration(built.generation, {
    maxJsonBytes: 1024,
    maxDepth: 10,
    headers: headerClasses([]),
    ownKeys: ownKeys({ digest: (text) => text }),
    now: Date.now,
    log: built.generation.log,
    redact: (value) => value,
    isLoop: () => false,
    bodyMs: SILENT_MS,
  });
  gateway = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: (request) => served.fetch(request) });
});
afterEach(async () => {
  await gateway.stop(true);
  await upstream.stop(true);
  await built.end();
});

async function until(what: string, holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + 8_000;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const free = (): Promise<void> => until("nothing is left open", () => built.generation.inFlight === 0 && egress.open === 0);

/** A connection to the gateway and what came back over it. */
interface Client {
  readonly socket: net.Socket;
  text(): string;
  readonly closed: Promise<void>;
}
async function connected(begin: string): Promise<Client> {
  const socket = net.connect(Number(gateway.port), "127.0.0.1");
  let got = "";
  socket.on("data", (bytes) => {
    got += bytes.toString();
  });
  socket.on("error", () => undefined); // a cut connection is what some tests are about
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write(begin);
  return { socket, text: () => got, closed };
}
const head = (framing: string, config?: object): string =>
  [
    "POST /v1/files HTTP/1.1",
    "host: x",
    "x-gateway-api-key: k",
    config ? `x-gateway-config: ${JSON.stringify(config)}` : "x-gateway-provider: store",
    "content-type: multipart/form-data; boundary=x",
    framing,
    "",
    "",
  ].join("\r\n");
const BEGUN = '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const WAYS: readonly (readonly [way: string, framing: string, beginning: string])[] = [
  ["of a declared length", "content-length: 5000", BEGUN],
  ["in chunks", "transfer-encoding: chunked", chunk(BEGUN)],
];
const RETRIED = { provider: "store", retry: { attempts: 2 } };

describe("a form that stops arriving", () => {
  test.each(WAYS)(
    "%s ends with 408, its connection closed and nothing left open",
    async (_, framing, beginning) => {
      const { text, closed } = await connected(head(framing) + beginning);
      await closed;
      expect(text()).toStartWith("HTTP/1.1 408");
      expect(text()).toContain(`The request body stopped arriving: nothing of it came for ${SILENT_MS} ms.`);
      await free();
      await until("the provider's connection is cut", () => received.length === reached);
      expect(received.filter((bytes) => bytes !== "cut")).toEqual([]);
      expect(ended.map(({ status }) => status)).toEqual([408]);
    },
    15_000,
  );
  test("is not tried again, where it is read into memory first", async () => {
    const { text, closed } = await connected(head("content-length: 5000", RETRIED) + BEGUN);
    await closed;
    expect(text()).toStartWith("HTTP/1.1 408");
    await free();
    expect(reached).toBe(0);
  }, 15_000);
});

const LAST = "\r\n--x--\r\n";

describe("a form that goes on arriving", () => {
  test("passes, however long it takes as a whole", async () => {
    const { socket, text } = await connected(`${head("transfer-encoding: chunked")}${chunk(BEGUN)}`);
    const begun = performance.now();
    for (let piece = 0; piece < PIECES; piece += 1) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS)); // a slow line
      socket.write(chunk(String(piece % 10)));
    }
    socket.write(`${chunk(LAST)}0\r\n\r\n`);
    await until("the answer", () => text().includes("file-1"));
    expect(performance.now() - begun).toBeGreaterThan(SILENT_MS * 1.5);
    expect(text()).toStartWith("HTTP/1.1 200");
    expect(received).toEqual([`${BEGUN}012345678901${LAST}`]);
    socket.destroy();
    await free();
  }, 15_000);
});

describe("a form whose client leaves", () => {
  test.each([
    ["on its way through", undefined],
    ["while it is read into memory", RETRIED],
  ])(
    "%s is not an error of ours",
    async (_, config) => {
      const { socket } = await connected(head("content-length: 5000", config) + BEGUN);
      await until("the request is inside", () => built.generation.inFlight === 1 && (config !== undefined || egress.open === 1));
      socket.destroy();
      await free();
      await until("it is settled", () => ended.length === 1);
      expect(ended.map(({ status, ended: how }) => [status, how])).toEqual([[499, "aborted"]]);
    },
    15_000,
  );
});
