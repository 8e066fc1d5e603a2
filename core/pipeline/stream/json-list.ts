import type { Frame } from "#contract";
import { frameReader } from "./frames.ts";

const encoder = new TextEncoder();

/** The data of each event as an element of one JSON list, for clients that cannot read events. */
export const asJsonList = (events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new ListWriter(events.getReader()), { highWaterMark: 0 });

class ListWriter {
  private readonly frames = frameReader("sse");
  private begun = false;
  constructor(private readonly events: ReadableStreamDefaultReader<Uint8Array>) {}

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await this.events.read();
      if (done) {
        controller.enqueue(encoder.encode(this.elements(this.frames.end()) + (this.begun ? "]" : "[]")));
        return controller.close();
      }
      const text = this.elements(this.frames.push(value));
      if (text !== "") return controller.enqueue(encoder.encode(text));
    }
  }
  cancel(reason: unknown): Promise<void> {
    return this.events.cancel(reason);
  }

  private elements(frames: readonly Frame[]): string {
    let text = "";
    for (const { data } of frames) if (data !== "") text += this.before() + data;
    return text;
  }
  private before(): string {
    if (this.begun) return ",\r\n";
    this.begun = true;
    return "[";
  }
}
