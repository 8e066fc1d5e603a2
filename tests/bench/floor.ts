/** The floor: the smallest proxy that parses the JSON once each way. What the gateway costs is measured against it. */
const upstream = `http://127.0.0.1:${process.argv[2]}`;

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ ...process.cpuUsage(), rss: process.memoryUsage.rss() });
    const body: unknown = await request.json();
    const streams = typeof body === "object" && body !== null && "stream" in body && body.stream === true;
    const answer = await fetch(`${upstream}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: request.signal,
    });
    if (streams) return new Response(answer.body, { headers: { "content-type": "text/event-stream" } });
    return new Response(JSON.stringify(await answer.json()), { headers: { "content-type": "application/json" } });
  },
});
console.log(server.port);
export {};
