import type { SocketEnd, SocketListener } from "../../platform.ts";
import type { ByteSource, Encoder, Json, JsonText, Source, Usage } from "#contract";
import type { Chunk } from "./chunks.ts";
import type { PassThrough } from "./pass-through.ts";

/** What a client is given: read whole, made of events, or bytes on their way through. */
export type Content =
  /** A JSON body, parsed when somebody had to look inside. `hooks` is what is written behind its last member as `hook_results`. */
  | {
      readonly kind: "whole";
      readonly text: JsonText;
      readonly body: Json | null;
      readonly usage: Usage | null;
      readonly hooks?: string;
    }
  | { readonly kind: "stream"; readonly stream: GoodStream }
  /** Audio, files, text, events that nobody reads: bytes on their way through. `usageAtEnd` finds what they used in their end. */
  | { readonly kind: "bytes"; readonly bytes: ByteSource | null; readonly usageAtEnd?: ((tail: string) => Usage | undefined) | undefined }
  /** A WebSocket that its provider has opened, and the sub-protocol it chose. */
  | { readonly kind: "socket"; readonly socket: OpenSocket; readonly protocol: string | null };

/** Says nothing before somebody listens. */
export interface OpenSocket extends SocketEnd {
  listen(listener: SocketListener): void;
}

/** A stream whose beginning is known to be good: bytes of the client's own dialect, or chunks made from events. */
export type GoodStream =
  | { readonly kind: "passing"; readonly passing: PassThrough }
  | { readonly kind: "chunks"; readonly chunks: Source<Chunk>; readonly encoder: Encoder; readonly provider: string };
