/** The official clients always ask for wss: in these tests nobody terminates TLS, so that their URL is made a plain one. All else is theirs. */
import { mock } from "bun:test";
import * as ws from "ws";

const plain = (url: string | URL): string => String(url).replace(/^wss:/, "ws:");

class PlainWs extends ws.WebSocket {
  constructor(url: string | URL, options: ws.ClientOptions) {
    super(plain(url), options);
  }
}
await mock.module("ws", () => ({ ...ws, WebSocket: PlainWs }));
/** For servers: its key in a header. */
export const { OpenAIRealtimeWS: RealtimeWS } = await import("openai/realtime/ws");

/** For browsers: what it makes of the web's WebSocket. */
export function withPlainSockets<T>(make: () => T): T {
  const Web = globalThis.WebSocket;
  globalThis.WebSocket = class extends Web {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(plain(url), protocols);
    }
  };
  try {
    return make();
  } finally {
    globalThis.WebSocket = Web;
  }
}
