import { GatewayError, type Json } from "#contract";
import { boundedText, MAX_WHOLE, tooLarge } from "../../egress/answer.ts";
import { utf8 } from "../../json/utf8.ts";
import { textCost } from "../../kernel/process/memory-cost.ts";
import type { Content, Reply } from "../reply.ts";
import type { Try } from "../try.ts";

type Whole = Extract<Content, { kind: "whole" }>;
type Bytes = Extract<Content, { kind: "bytes" }>;
/** A whole answer, and how it is written after guardrails changed its body; default: as JSON. */
export type Judgeable = Whole & { readonly write?: (body: Json) => string };

/** An answer that is no JSON and holds content all the same is read as a whole, to be judged; others pass. */
export async function readWhole({ stream, usageAtEnd }: Bytes, headers: Reply["headers"], it: Try): Promise<Judgeable | undefined> {
  const form = it.call.row.content.noJson;
  if (!form || stream === null) return undefined;
  const { held } = it.request;
  const text = await boundedText(stream, MAX_WHOLE, (bytes) => held.grow(textCost(bytes)));
  if (text === undefined) throw new GatewayError("UPSTREAM_INVALID", { provider: it.to.id, why: tooLarge(MAX_WHOLE) });
  const wire = typeof text === "string" ? text : utf8(text);
  const type = headers["content-type"] ?? "";
  const usage = usageAtEnd?.(wire) ?? null;
  return { kind: "whole", text: wire, body: form.read(wire, type), usage, write: (body) => form.write(body, wire, type) };
}
