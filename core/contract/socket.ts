import type { BodyContent } from "./content.ts";
import type { Json } from "./json.ts";
import type { AdapterInput } from "./provider.ts";
import type { Usage, WireError } from "./stream.ts";

/** A message of a WebSocket: text, or bytes. */
export type SocketMessage = string | Uint8Array;

/** The largest message that any operation may let a client send. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * What the messages of an operation that is a WebSocket say. The gateway passes them on as they came; those that are JSON it
 * reads where somebody has to look inside: guardrails, what is counted, the log.
 */
export interface SocketMessages {
  readonly limits: SocketLimits;
  /** Where clients that cannot set headers say their key; it goes no further. */
  readonly key?: { readonly protocolPrefix: string; readonly query: readonly string[] };
  /** What guardrails read and patch: `input` of a client's message, `output` of a provider's. */
  readonly content: BodyContent;
  /** Is this message of a client one whose content is known: all of it in `content`, or none there? Behind guardrails others are refused. */
  isKnown(message: Json): boolean;
  /** Might this text of a provider begin or end an answer? A cheap look: where no guardrail reads them, no other text is parsed. */
  mayBoundAnswer(text: string): boolean;
  /** What an answer has used, by the message that tells it. */
  usage(message: Json): Usage | undefined;
  /** Where a provider writes down what its client said aloud: input guardrails judge that like what it wrote. */
  readonly speech?: {
    /** Might this text of a provider be such a message? A cheap look. */
    mayBe(text: string): boolean;
    /** The same as a message of the client's. */
    asInput(message: Json): Json | undefined;
    /** What the provider is told where it was denied, besides that the answers under way end. */
    undo(message: Json): readonly Json[];
  };
  /** Which answer a provider's message belongs to, and whether it is its last. Absent for messages that belong to none. */
  answer(message: Json): { readonly id: string; readonly ends?: true } | undefined;
  /** What tells the provider to end an answer of which nobody hears the rest: it tells what that has used. Absent where it cannot be told. */
  cancel?(answer: string): Json;
  /** Items (parts of a conversation with ids of their own) that a provider's message tells of: those of a denied answer are not told again. */
  items(message: Json): readonly string[];
  /** Is this text mostly sound or another medium? The log does without. Cheap, as above. */
  isMedia(text: string): boolean;
  /** Told to a client in place of what a message of its own would have done, `of`; or of an answer it does not get. */
  refusal(error: WireError, of: Json | null, more: Readonly<Json>): Json;
  /** What a client is given of an answer that guardrails denied, by its messages: they say that it has ended, and nothing of it. */
  denied(messages: readonly Json[], error: WireError): readonly Json[];
  /** The last message of an answer with all that the others have said in it, whatever it repeats itself: what guardrails judge. */
  whole(messages: readonly Json[]): Json;
  /** An answer's messages once guardrails have changed what `whole` gave (`before`) to `after`. */
  rewritten(messages: readonly Json[], before: Json, after: Json): readonly Json[];
}
export interface SocketLimits {
  /** Largest message, either way; a larger one ends the session (1009). */
  readonly messageBytes: number;
  /** A session in which neither side says anything for so long is closed. */
  readonly idleMs: number;
}

/** The provider's side of a socket, where the provider is no other machine: what it is told, and when the client has gone. */
export interface Conversation {
  message(message: SocketMessage): void;
  closed(): void;
}
/** What such a provider may do. */
export interface ConversationPeer {
  send(message: SocketMessage): void;
  close(code: number, reason: string): void;
}
export type Converse = (ask: AdapterInput, peer: ConversationPeer) => Conversation;
