import type { SocketMessage, SocketMessages } from "#contract";

export type Speaker = "client" | "provider" | "gateway";
/** Characters of an entry beside its message. */
const ENTRY = 30;

/** What was said in a session, for the log: as JSON, as far as it is kept, and how it ended. Sound and images are left out. */
export class Transcript {
  private readonly entries: { readonly by: Speaker; readonly message: string }[] = [];
  private size = 0;
  private left = 0;
  constructor(
    private readonly messages: Pick<SocketMessages, "isMedia">,
    private readonly maxBytes: number,
  ) {}

  add(by: Speaker, message: SocketMessage): void {
    if (typeof message !== "string" || this.size + message.length > this.maxBytes || this.messages.isMedia(message)) {
      this.left += 1;
      return;
    }
    this.size += message.length + ENTRY;
    this.entries.push({ by, message });
  }
  /** The client's messages, as far as they are kept. */
  ofClient(): readonly string[] {
    return this.entries.filter(({ by }) => by === "client").map(({ message }) => message);
  }
  /** Closed. */
  text(close: { readonly by: string; readonly code: number; readonly reason: string }): string {
    const entries = this.entries.map(
      ({ by, message }) => `{"by":"${by}","message":${isJsonText(message) ? message : JSON.stringify(message)}}`,
    );
    return `{"messages":[${entries.join(",")}],"messages_left_out":${this.left},"close":${JSON.stringify(close)}}`;
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
