import type { Json } from "#contract";

/** Server-sent events of operations whose streams have no terminal marker. */
export const eventStream = (events: readonly Json[], named = false): Response =>
  new Response(events.map((event) => `${named ? `event: ${String(event["type"])}\n` : ""}data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream; charset=utf-8" },
  });
