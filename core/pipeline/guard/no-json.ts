import { type ByteSource, GatewayError, type Json, type MaybePromise } from "#contract";
import { received, utf8 } from "../../json/utf8.ts";
import { textCost } from "../../json/memory-cost.ts";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { MAX_WHOLE, tooLarge } from "../../json/whole.ts";
import type { Content } from "../stream/content.ts";
import { TAIL_BYTES } from "../stream/passing-bytes.ts";

type Whole = Extract<Content, { kind: "whole" }>;
type Bytes = Extract<Content, { kind: "bytes" }>;
/** A whole answer, and how it is written after guardrails changed its body; default: as JSON. */
export type Judgeable = Whole & { readonly write?: (body: Json) => MaybePromise<string>; readonly model?: string | undefined };

/** An answer that is no JSON and holds content all the same is read as a whole, to be judged; others pass. */
export async function readWhole({ bytes, usageAtEnd }: Bytes, headers: Reply["headers"], it: Try): Promise<Judgeable | undefined> {
  const form = it.call.row.content.noJson;
  if (!form || bytes === null) return undefined;
  const text = await received(await piecesOf(bytes, it));
  const wire = typeof text === "string" ? text : utf8(text);
  const type = headers["content-type"] ?? "";
  const tail = wire.slice(-TAIL_BYTES);
  const usage = usageAtEnd?.(tail) ?? null;
  const model = usageAtEnd && it.call.row.content.modelAtEnd?.(tail);
  return { kind: "whole", text: wire, body: await form.read(wire, type), usage, model, write: (body) => form.write(body, wire, type) };
}

async function piecesOf(bytes: ByteSource, { request: { held }, to }: Try): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let piece = await bytes.read(); piece; piece = await bytes.read()) {
      size += piece.length;
      if (size > MAX_WHOLE) throw new GatewayError("UPSTREAM_INVALID", { provider: to.id, why: tooLarge(MAX_WHOLE) });
      held.grow(textCost(piece.length));
      pieces.push(piece);
    }
    return pieces;
  } catch (thrown) {
    void bytes.cancel(); // nothing more of it is wanted
    throw thrown;
  }
}
