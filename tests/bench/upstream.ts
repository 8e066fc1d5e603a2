/**
 * The bench's model provider: answers at once, whole or streamed, in the chat wire. Reports its own CPU time.
 * Arguments: port, chunks per stream, and the model whose chunks come one by one, with so many milliseconds between them.
 */
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
const frame = (delta: object, finish: string | null) =>
  encoder.encode(
    `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_750_000_000, model: "bench-1", choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`,
  );
const FIRST = frame({ role: "assistant", content: "" }, null);
const MIDDLE = frame({ content: "fox jumps" }, null);
const LAST = [
  frame({}, "stop"),
  encoder.encode(
    'data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1750000000,"model":"bench-1","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":200,"total_tokens":320}}\n\n',
  ),
  encoder.encode("data: [DONE]\n\n"),
];

/** Until the next chunk: without a gap several of them are one socket write. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));

function stream(ms: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(FIRST),
    async pull(controller) {
      await pause(ms);
      if (sent++ < Number(chunkCount)) return controller.enqueue(MIDDLE);
      for (const part of LAST) controller.enqueue(part);
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
    if (body.stream) return new Response(stream(ms), { headers: { "content-type": "text/event-stream" } });
    return new Response(whole, { headers: { "content-type": "application/json" } });
  },
});
console.log(server.port);
export {};
