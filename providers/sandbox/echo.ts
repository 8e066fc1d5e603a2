import type { Adapter, OutgoingRequest, PassingAdapter, Provider } from "#contract";
import { answering } from "./answering.ts";
import { idOf } from "./id.ts";

/** What passes is answered by its operation; what belongs to none is told back as it arrived. */
export const echoing = (operations: Provider["operations"]): PassingAdapter => ({
  answer: (body, ask, signal, request) => (operations[ask.operation]?.answer ?? echo)(body, ask, signal, request),
});

const echo: NonNullable<Adapter["answer"]> = answering(async (body, ask, signal, request) => ({
  id: `echo_${idOf([request.method, ask.path, body])}`,
  object: "sandbox.echo",
  ...{ method: request.method, path: ask.path, query: ask.search, content_type: request.headers.get("content-type") },
  ...(body === null ? { bytes: await counted(request, signal) } : { body }),
}));

/** How many bytes came, of which none is kept. */
async function counted({ body }: OutgoingRequest, signal: AbortSignal): Promise<number> {
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return body?.length ?? 0;
  let bytes = 0;
  for await (const piece of body) {
    signal.throwIfAborted();
    bytes += piece.length;
  }
  return bytes;
}
