/**
 * Every check of every pack × every surface that it claims × whole and streamed, through the real pipeline: the check is
 * asked, of the words that are there, and its denial stops them. What checks find is their packs' business: each of them
 * answers `deny` here.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import {
  type Caller,
  type Check,
  type CheckInput,
  definePlugin,
  headerClasses,
  type Json,
  type MountedOperation,
  scopesOf,
  type Side,
  wholePath,
} from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { serveGeneration } from "../../core/http/server.ts";
import type { LoadedCheck } from "../../core/kernel/generation.ts";
import { ownKeys } from "../../core/kernel/secrets/own-keys.ts";
import type { Given } from "../kit/deployment.ts";
import { verifies } from "../requirements/verifies.ts";
import { ANSWERED, ASKED, sentBy, SURFACES, wireOf } from "./bodies.ts";
import { type Cell, cellsOf, checksOf, claims, deployment, streams, surfacesOf } from "./cells.ts";

/* ── a deployment with a provider that answers everything ────────────────────────────────────────────────────── */

const doorman: Given = {
  manifest: { kind: "policy", id: "anybody" },
  module: () => ({
    default: definePlugin({
      kind: "policy",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { identify: () => CALLER } }),
    }),
  }),
};
const CALLER: Caller = {
  ...{ organisationId: "o", workspaceId: "w", keyId: "k", keyName: "k", keyType: "workspace-service", userId: null },
  ...{ scopes: new Set(scopesOf("workspace-service")), metadata: {}, configId: null, allowConfigOverride: true },
};
/** Which request the provider answers, and whether as a stream. */
let asksProvider = 0;
const answering = (id: string) => ({
  answer: async (body: Json | null, { stream }: { readonly stream: boolean }): Promise<Response> => {
    asksProvider += 1;
    const surface = SURFACES[id] ?? {};
    if (!stream && body?.["stream"] !== true && !streamsNow) return Response.json(surface.answers ?? {});
    return new Response(wireOf(surface), { headers: { "content-type": "text/event-stream" } });
  },
});
/** Forms pass unread: the provider is told beside them. */
let streamsNow = false;
const provider: Given = {
  manifest: { kind: "provider", id: "answers-all" },
  module: () => ({
    default: definePlugin({
      kind: "provider",
      config: Type.Object({}),
      needs: [],
      setup: () => ({
        provides: {
          target: Type.Object({}, { additionalProperties: false }),
          endpoint: () => ({ baseUrl: "https://nowhere.invalid/v1", headers: {} }),
          dialect: ["chat", "completions", "messages", "responses", "gemini"],
          operations: Object.fromEntries(Object.keys(SURFACES).map((id) => [id, answering(id)])),
        },
      }),
    }),
  }),
};

const built = await deployment([doorman, provider]);
const loaded = checksOf(built);
const checks: readonly Check[] = loaded.map(({ check }) => check);
const operations = surfacesOf(built);
const cells = cellsOf(checks, operations);

/** What the check under test was asked. */
interface Asked {
  readonly side: Side;
  readonly text: string;
}
let asked: Asked[] = [];
const denying = ({ check, ...rest }: LoadedCheck): LoadedCheck => ({
  ...rest,
  check: {
    ...check,
    run(input: CheckInput<never>) {
      asked.push({ side: input.side, text: input.segments.map(({ text }) => text).join("\n") });
      return { verdict: "deny", reason: "as this test says" };
    },
  },
});
const byId = built.generation.checks as Map<string, LoadedCheck>; // made for this file alone
for (const [id, one] of byId) byId.set(id, denying(one));

const served = serveGeneration(built.generation, {
  ...{ maxJsonBytes: 1_000_000, maxDepth: 64, headers: headerClasses([]), isLoop: () => false },
  ...{ ownKeys: ownKeys({ digest: (text) => text }), now: Date.now, log: () => undefined, redact: (value) => value },
});
afterAll(async () => {
  await served.gateway.close();
  await built.end();
});

/* ── one cell ────────────────────────────────────────────────────────────────────────────────────────────────── */

const samples = new Map(
  registry.flatMap(({ manifest }) =>
    ((manifest as { samples?: readonly { check?: string; params?: Json }[] }).samples ?? []).map(
      ({ check, params }) => [check, params ?? {}] as const,
    ),
  ),
);
function requestOf({ check, operation, side, streamed }: Cell): Request {
  const guardrail = { id: "g", deny: true, checks: [{ id: check.id, parameters: samples.get(check.id) ?? {} }] };
  const body = sentBy(operation.body, SURFACES[operation.id] ?? {}, streamed && operation.inPath === undefined);
  return new Request(`http://localhost${wholePath(operation, operation.path.replace(/(?<=\/):\w+/g, "m"))}`, {
    method: operation.method,
    headers: {
      "x-gateway-api-key": "k",
      "x-gateway-config": JSON.stringify({ provider: "answers-all", [`${side}_guardrails`]: [guardrail] }),
      ...(typeof body === "string" && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
}
/** Kinds that both words come as: others (images, sound) are of no use to a check of words. */
const WORDS: ReadonlySet<string> = new Set(["text", "tool_call", "tool_result"]);
const readsWords = ({ wants = ["text"] }: Check, { id }: MountedOperation, side: Side): boolean =>
  side === "output" && CALLS_ONLY.has(id) ? wants.includes("tool_call") : wants.some((kind) => WORDS.has(kind));
/** Their answers say the word in a call. */
const CALLS_ONLY: ReadonlySet<string> = new Set(
  Object.entries(SURFACES).flatMap(([id, { answers }]) => (JSON.stringify(answers ?? {}).includes('"tool_calls"') ? [id] : [])),
);

const shown = ({ check, operation, side, streamed }: Cell) => `${check.id}: ${side} of ${operation.id}${streamed ? ", streamed" : ""}`;
async function walked(cell: Cell): Promise<string | undefined> {
  asked = [];
  asksProvider = 0;
  streamsNow = cell.streamed;
  const answer = await served.fetch(requestOf(cell));
  const text = await answer.text();
  const fault = (why: string): string => `${shown(cell)}: ${why} (${answer.status} ${text.slice(0, 300)})`;
  if (!asked.some(({ side }) => side === cell.side)) return fault("it was not asked");
  const word = cell.side === "input" ? ASKED : ANSWERED;
  const isStreamedCall = cell.streamed && CALLS_ONLY.has(cell.operation.id); // its events say it as a text too
  if ((isStreamedCall || readsWords(cell.check, cell.operation, cell.side)) && !asked.some(({ text }) => text.includes(word)))
    return fault("it did not see the word");
  if (answer.status !== 446) return fault("its denial did not hold");
  if (text.includes(ANSWERED)) return fault("its client has what was denied");
  return cell.side === "input" && asksProvider > 0 ? fault("the provider was asked") : undefined;
}

describe("the table of checks and surfaces", () => {
  test("has a body of every operation that holds something to judge", () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(SURFACES).sort());
  });
  test("has a cell of every check, and of every operation on each side that it has", () => {
    expect(checks.filter((check) => !cells.some((cell) => cell.check === check)).map(({ id }) => id)).toEqual([]);
    for (const operation of operations)
      for (const side of ["input", "output"] as const)
        if (operation.content[side]) expect(cells).toContainEqual(expect.objectContaining({ operation, side }));
  });
  test("has a streamed cell of every check of answers, for every operation that streams", () => {
    const streaming = operations.filter(streams);
    expect(streaming.map(({ id }) => id)).toContain("chatComplete");
    for (const check of checks.filter(({ on }) => on.includes("output")))
      for (const operation of streaming.filter((row) => claims(check, row, "output")))
        expect(cells).toContainEqual({ check, operation, side: "output", streamed: true });
  });
  for (const side of ["input", "output"] as const)
    for (const streamed of [false, true])
      test(verifies(
        "G.engine.surfaces",
        `${side}, ${streamed ? "streamed" : "whole"}: each check is asked, and its denial holds`,
      ), async () => {
        const faults: string[] = [];
        for (const cell of cells.filter((cell) => cell.side === side && cell.streamed === streamed)) {
          const fault = await walked(cell);
          if (fault !== undefined) faults.push(fault);
        }
        expect(faults).toEqual([]);
      }, 60_000);
});
