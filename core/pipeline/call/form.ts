import { joined } from "../../json/utf8.ts";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { formCost } from "../../json/memory-cost.ts";
import { type Body, type Call, GatewayError, type TargetNode } from "#contract";
import { textFields } from "./form-fields.ts";
import { formParts } from "./form-parts.ts";

/** Forms that a guardrail has to read, or that may be sent again, are held in memory up to this size. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/**
 * A form that another try or another target may need is read into memory, when it says that it is small enough.
 * A larger one passes through, and can be sent once.
 */
export async function keptForm(call: Call, root: TargetNode, held: Held): Promise<Call> {
  if (call.body.kind !== "form" || call.row.content.file !== undefined || !mayBeSentAgain(root)) return call;
  const bytes = Number(call.headers.get("content-length") ?? Number.NaN);
  return bytes <= MAX_READ_BYTES ? { ...call, body: await readForm(call.body, held) } : call;
}
const mayBeSentAgain = (node: TargetNode): boolean =>
  node.kind === "leaf" ? node.retry.attempts > 0 : node.targets.length > 1 || node.targets.some(mayBeSentAgain);

/** Can it be sent to one target, once? */
export const goesOnce = ({ body, row }: Call): boolean => body.kind === "form" || body.kind === "raw" || row.content.file !== undefined;

/** Reads a form that was on its way through: its bytes, and its text fields. */
export async function readForm({ stream, contentType }: Extract<Body, { kind: "form" }>, held: Held): Promise<FormRead> {
  const bytes = await bounded(stream, held);
  const fields = await textFields(bytes, await formParts(bytes, contentType));
  return { kind: "form-read", contentType, bytes, fields };
}
type FormRead = Extract<Body, { kind: "form-read" }>;

async function bounded(stream: ReadableStream<Uint8Array>, held: Held): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_READ_BYTES) throw new GatewayError("BODY_TOO_LARGE", { limitMb: MAX_READ_BYTES / 1024 / 1024 });
    taken = held.takeUpTo(size, taken, formCost);
    parts.push(part);
  }
  return joined(parts);
}
