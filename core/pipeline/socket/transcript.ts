import type { SocketMessage, SocketMessages } from "#contract";

/** What was said in a session, for the log: as JSON, as far as it is kept, and how it ended. Sound and images are left out. */
export class Transcript {
  private readonly entries: string[] = [];
  private size = 0;
  private left = 0;
  constructor(
    private readonly messages: Pick<SocketMessages, "isMedia">,
    private readonly maxBytes: number,
  ) {}

  add(by: "client" | "provider" | "gateway", message: SocketMessage): void {
    if (typeof message !== "string" || this.size + message.length > this.maxBytes || this.messages.isMedia(message)) {
      this.left += 1;
      return;
    }
    const entry = `{"by":"${by}","message":${isJsonText(message) ? message : JSON.stringify(message)}}`;
    this.size += entry.length;
    this.entries.push(entry);
  }
  /** Closed. */
  text(close: { readonly by: string; readonly code: number; readonly reason: string }): string {
    return `{"messages":[${this.entries.join(",")}],"messages_left_out":${this.left},"close":${JSON.stringify(close)}}`;
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // a side may say what it likes
  }
}
