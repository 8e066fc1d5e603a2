import type { AdapterInput, Conversation, Converse, SocketMessage } from "#contract";
import type { SocketEnd, SocketListener } from "../../platform.ts";

/** A provider that is no other machine, as an end of a socket. What it says comes in turns of its own. */
export class OfflineEnd implements SocketEnd {
  readonly waiting = 0;
  private listener: SocketListener | undefined;
  private readonly said: SocketMessage[] = [];
  private isPaused = true;
  private isOver = false;
  private readonly conversation: Conversation;

  constructor(converse: Converse, ask: AdapterInput) {
    this.conversation = converse(ask, { send: (message) => this.says(message), close: (code, reason) => this.over(code, reason) });
  }
  listen(listener: SocketListener): void {
    this.listener = listener;
    listener.open(this);
    this.resume();
  }
  send(message: SocketMessage): void {
    if (!this.isOver) this.conversation.message(message);
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
    queueMicrotask(() => this.tell());
  }
  close(): void {
    this.cut();
  }
  cut(): void {
    if (!this.isOver) this.conversation.closed();
    this.over(1005, "");
  }
  private says(message: SocketMessage): void {
    this.said.push(message);
    if (!this.isPaused) queueMicrotask(() => this.tell());
  }
  private tell(): void {
    while (!this.isPaused && !this.isOver) {
      const message = this.said.shift();
      if (message === undefined) return;
      this.listener?.message(message);
    }
  }
  private over(code: number, reason: string): void {
    if (this.isOver) return;
    this.tell();
    this.isOver = true;
    this.listener?.closed(code, reason);
  }
}
