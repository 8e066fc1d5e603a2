import type { ChatRequest } from "#contract";

/** Where to stop; an empty text says nothing, and is refused. */
export function stopsOf({ stop }: ChatRequest): string[] | undefined {
  const stops = [stop ?? []].flat().filter((text) => text !== "");
  return stops.length > 0 ? stops : undefined;
}
