/** How much of a streamed answer its client has when a check says what it thinks of it, by the way in which the check judges. */
import { describe, expect, test } from "bun:test";
import { type Encoder, GatewayError, type Json, type Source, type StreamEvent, type StreamMode } from "#contract";
import { judged } from "../../../plugins/api/chat/judged.ts";
import { callOf } from "../../../tests/kit/call.ts";
import { active, depsWith, madeCheck } from "../../../tests/kit/guardrail.ts";
import { LENGTH, RELEASED, WORD_AT } from "../../../tests/guardrail-table/released.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { nothingSpent } from "../../compute/allowance.ts";
import type { Chunk } from "../stream/chunks.ts";
import { guardStream } from "./stream.ts";

const encoder: Encoder = { event: (event) => JSON.stringify(event), end: () => "", error: () => "", note: () => "" };
const call = callOf({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
const view = {
  ...{ provider: "p", model: "m", metadata: {}, spending: nothingSpent(), tenant: "w" },
  tenantIds: { organisationId: "o", workspaceId: "w" },
};

const PIECE = "0123456789";
/** It crosses the border of two pieces. */
const answer = `${"0123456789".repeat(LENGTH / PIECE.length).slice(0, WORD_AT)}BADWORD${"x".repeat(LENGTH - WORD_AT - 7)}`;
const pieces = answer.match(/.{1,10}/g) ?? [];

function upstream(): Source<Chunk> {
  const events: StreamEvent[] = [
    { type: "start", id: "a", model: "m" },
    ...pieces.map((text): StreamEvent => ({ type: "text", text })),
    { type: "finish", reason: "stop" },
  ];
  return {
    read: async () => {
      const event = events.shift();
      return event && { wire: JSON.stringify(event), events: [event] };
    },
    cancel: async () => undefined,
  };
}

interface Measured {
  /** Characters that the client had at the first verdict, at the verdict over the word, and in the end. */
  readonly first: number;
  readonly atWord: number;
  readonly last: number;
  readonly text: string;
  readonly denied: boolean;
}
async function measured(stream: StreamMode, guardrail: Json): Promise<Measured> {
  let released = "";
  const verdicts: { readonly released: number; readonly found: boolean }[] = [];
  const check = madeCheck(
    "looks",
    ({ text }) => {
      const found = text.includes("BADWORD");
      verdicts.push({ released: released.length, found });
      return found ? { verdict: "deny", reason: "found" } : { verdict: "allow" };
    },
    { stream },
  );
  const deps = { ...depsWith([check]), view, encoder: () => encoder, judged };
  const done = await guardStream(active([{ "test.looks": {}, ...guardrail }], deps), call, upstream(), deps);
  let denied = done.kind === "denied";
  if (done.kind === "stream")
    try {
      for (let chunk = await done.chunks.read(); chunk; chunk = await done.chunks.read())
        for (const event of chunk.events) if (event.type === "text") released += event.text;
    } catch (thrown) {
      denied = GatewayError.is(thrown);
    }
  await done.pending();
  const [first, atWord] = [verdicts[0], verdicts.find(({ found }) => found)].map((verdict) => verdict?.released ?? -1);
  return { first: first ?? -1, atWord: atWord ?? -1, last: released.length, text: released, denied };
}

describe(`characters of an answer of ${LENGTH} that are released, its word at ${WORD_AT}`, () => {
  for (const { way, stream, guardrail, ...expected } of RELEASED)
    test(verifies("G.engine.released", way), async () => {
      const { text, ...numbers } = await measured(stream, guardrail);
      console.log(`released, ${way}: ${numbers.first} at the first verdict, ${numbers.atWord} at the word's, ${numbers.last} in the end`);
      expect(numbers).toEqual(expected);
      if (expected.denied) expect(text).not.toContain("B");
    });
});
