import type { Held } from "../../kernel/process/memory-budget.ts";
import { formCost } from "../../kernel/process/memory-cost.ts";
import { type Body, type Call, GatewayError, messageOf, nextTurn, type TargetNode } from "#contract";

/** Forms that a guardrail has to read, or that may be sent again, are held in memory up to this size. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/**
 * A form that another try or another target may need is read into memory, when it says that it is small enough.
 * A larger one passes through, and can be sent once.
 */
export async function keptForm(call: Call, root: TargetNode, held: Held): Promise<Call> {
  if (call.body.kind !== "form" || !mayBeSentAgain(root)) return call;
  const bytes = Number(call.headers.get("content-length") ?? Number.NaN);
  return bytes <= MAX_READ_BYTES ? { ...call, body: await readForm(call.body, held) } : call;
}
const mayBeSentAgain = (node: TargetNode): boolean =>
  node.kind === "leaf" ? node.retry.attempts > 0 : node.targets.length > 1 || node.targets.some(mayBeSentAgain);

/** Can it be sent to one target only? */
export const goesOnce = ({ body }: Call): boolean => body.kind === "form";

/** Reads a form that was on its way through: its bytes, and its text fields. */
export async function readForm(body: Extract<Body, { kind: "form" }>, held: Held): Promise<Extract<Body, { kind: "form-read" }>> {
  const bytes = await bounded(body.stream, held);
  const turn = (): Promise<void> | undefined => (bytes.length > LONG_BYTES ? nextTurn() : undefined);
  await turn();
  refuseManyParts(bytes, body.contentType);
  await turn();
  const form = await new Response(bytes, { headers: { "content-type": body.contentType } }).formData().catch((thrown: unknown) => {
    throw new GatewayError("REQUEST_INVALID", { what: `The multipart form cannot be read: ${messageOf(thrown)}.` });
  });
  await turn();
  const fields = Object.fromEntries([...form.entries()].filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  return { kind: "form-read", contentType: body.contentType, bytes, fields };
}

/** Each step of reading a longer form takes as long as a turn of the event loop may. */
const LONG_BYTES = 1024 * 1024;

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
  return joined(parts, size);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Parts of a form: dozens at most, where people send some. Nobody else is served while they are taken apart. */
const MAX_PARTS = 1_000;
function refuseManyParts(bytes: Uint8Array, contentType: string): void {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = `\n--${quoted ?? plain ?? ""}`;
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = all.indexOf(boundary); at >= 0; at = all.indexOf(boundary, at + boundary.length)) {
    count += 1;
    if (count > MAX_PARTS) throw new GatewayError("REQUEST_INVALID", { what: `The multipart form has more than ${MAX_PARTS} parts.` });
  }
}
