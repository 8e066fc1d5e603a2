import type { Socket } from "node:net";
import type { SocketEnd, SocketListener } from "../../platform.ts";
import { BINARY, CLOSE, type Frame, FrameFault, Frames, PING, PONG, TEXT, written } from "./frames.ts";
import { closePayload, closing, maySay, Messages } from "./messages.ts";

export interface ClientOptions {
  readonly maxMessageBytes: number;
  /** Milliseconds without a byte after which the server is asked whether it is there, and then let go. */
  readonly silentMs?: number;
}
const SILENT_MS = 60_000;
/** How long a server may take to close what we have closed. */
const CLOSE_MS = 2_000;
/** Bytes that may wait for a server whose pings are still answered: behind more of them it reads no answer. */
const MOST_UNREAD = 64 * 1024;

/** The client's end of a WebSocket whose handshake is done. Nothing is read before somebody listens. */
export class WebSocketClient implements SocketEnd {
  private readonly frames: Frames;
  private readonly messages: Messages;
  private listener: SocketListener | undefined;
  private readonly timer: ReturnType<typeof setInterval>;
  private said: { readonly code: number; readonly reason: string } | undefined;
  private closingTimer: ReturnType<typeof setTimeout> | undefined;
  private isOver = false;
  private isClosing = false;
  private isPaused = false;
  private heard = true;
  private wasAsked = false;

  constructor(
    private readonly socket: Socket,
    private readonly head: Buffer,
    { maxMessageBytes, silentMs = SILENT_MS }: ClientOptions,
  ) {
    this.frames = new Frames(maxMessageBytes);
    this.messages = new Messages(maxMessageBytes);
    this.timer = setInterval(() => this.look(), silentMs);
    socket.pause();
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on("data", (piece: Buffer) => this.read(piece));
    socket.on("drain", () => this.listener?.drained());
    socket.on("end", () => this.socket.destroy());
    socket.on("error", () => this.socket.destroy());
    socket.on("close", () => this.over());
    socket.pause(); // a reader would begin to read
  }

  listen(listener: SocketListener): void {
    this.listener = listener;
    listener.open(this);
    if (this.isOver) return listener.closed(1006, "");
    if (this.head.length > 0) this.read(this.head);
    if (!this.isPaused) this.socket.resume();
  }

  get waiting(): number {
    return this.socket.writableLength;
  }
  send(message: string | Uint8Array): void {
    if (this.isClosing || this.isOver) return;
    const text = typeof message === "string";
    this.socket.write(written(text ? TEXT : BINARY, text ? Buffer.from(message) : message));
  }
  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }
  resume(): void {
    this.isPaused = false;
    if (!this.isOver) this.socket.resume();
  }
  close(code: number, reason: string): void {
    if (this.isClosing || this.isOver) return;
    this.isClosing = true;
    this.socket.write(written(CLOSE, closePayload(maySay(code) ? code : 1000, reason)));
    this.closingTimer = setTimeout(() => this.cut(), CLOSE_MS);
    this.resume(); // its answer is among what was not read yet
  }
  cut(): void {
    this.socket.destroy();
    this.over();
  }

  private read(piece: Buffer): void {
    this.heard = true;
    this.frames.add(piece);
    try {
      for (let frame = this.frames.next(); frame && !this.isOver; frame = this.frames.next()) this.take(frame);
    } catch (thrown) {
      if (!(thrown instanceof FrameFault)) throw thrown;
      this.said ??= { code: thrown.code, reason: thrown.message };
      this.close(thrown.code, thrown.message);
      this.cut();
    }
  }
  private take(frame: Frame): void {
    if (frame.opcode === PING) return this.answer(frame.payload);
    if (frame.opcode === PONG) return;
    if (frame.opcode === CLOSE) return this.left(frame.payload);
    const message = this.messages.add(frame);
    if (message !== undefined && !this.isClosing) this.listener?.message(message);
  }
  private answer(ping: Buffer): void {
    if (!this.isClosing && this.waiting < MOST_UNREAD) this.socket.write(written(PONG, ping));
  }
  private left(payload: Buffer): void {
    this.said = closing(payload);
    this.close(this.said.code, "");
    this.socket.end();
    this.over();
  }
  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.timer);
    clearTimeout(this.closingTimer);
    this.listener?.closed(this.said?.code ?? 1006, this.said?.reason ?? "");
  }
  /** Whoever is not read cannot be heard. */
  private look(): void {
    if (this.isPaused || this.heard) this.wasAsked = false;
    else if (this.wasAsked) return this.cut();
    else {
      this.wasAsked = true;
      this.socket.write(written(PING, Buffer.alloc(0)));
    }
    this.heard = false;
  }
}
