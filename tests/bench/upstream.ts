/**
 * The bench's model provider: answers at once, whole in the chat wire, streamed in that of the path that is asked. Reports its own CPU time.
 * Arguments: port, chunks per stream, and the model whose chunks come one by one, with so many milliseconds between them.
 */
import { type Wire, wireOf } from "./wires.ts";

const [port = "0", chunkCount = "200", pacedModel = "", gapMs = "0"] = process.argv.slice(2);
const encoder = new TextEncoder();

const whole = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_750_000_000,
  model: "bench-1",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "The quick brown fox jumps over the lazy dog. ".repeat(20), refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 200, total_tokens: 320, prompt_tokens_details: { cached_tokens: 0 } },
});
/** Until the next chunk: without a gap several of them are one socket write. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));

function stream({ first, middle, last }: Wire, ms: number): ReadableStream<Uint8Array> {
  const chunk = encoder.encode(middle);
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      await pause(ms);
      if (sent++ < Number(chunkCount)) return controller.enqueue(chunk);
      controller.enqueue(encoder.encode(last));
      controller.close();
    },
  });
}

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "GET") return Response.json(process.cpuUsage());
    const body = (await request.json()) as { readonly model?: string; readonly stream?: boolean }; // the bench's own message
    const ms = body.model === pacedModel ? Number(gapMs) : 0;
    const { pathname } = new URL(request.url);
    if (body.stream || pathname.endsWith(":streamGenerateContent"))
      return new Response(stream(wireOf(pathname), ms), { headers: { "content-type": "text/event-stream" } });
    return new Response(whole, { headers: { "content-type": "application/json" } });
  },
});
console.log(server.port);
