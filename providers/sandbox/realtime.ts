import { type Adapter, type Conversation, type ConversationPeer, isJson, type Json } from "#contract";
import { wordsIn } from "./words.ts";

/** Says an event of the provider's. */
type Say = (type: string, members?: Json) => void;

const textOf = (item: Json): string => {
  const parts: readonly unknown[] = Array.isArray(item["content"]) ? (item["content"] as readonly unknown[]) : [];
  return parts.map((part) => (isJson(part) ? String(part["text"] ?? part["transcript"] ?? "") : "")).join(" ");
};

/** A session that repeats what it was told last, in words, and counts them. */
class EchoSession implements Conversation {
  private heard = "";
  private items = 0;
  private responses = 0;
  private events = 0;
  private session: Json;
  constructor(
    private readonly peer: ConversationPeer,
    model: string,
  ) {
    this.session = {
      type: "realtime",
      object: "realtime.session",
      id: "sess_sandbox",
      model,
      output_modalities: ["text"],
      instructions: "",
    };
    queueMicrotask(() => this.say("session.created", { session: this.session }));
  }

  message(message: string | Uint8Array): void {
    const event = jsonOf(message);
    if (event === undefined) return this.refuse("An event is a JSON object with a type.", {});
    const handler = HANDLERS[String(event["type"])];
    if (!handler) return this.refuse(`There is no event of the type ${String(event["type"]).slice(0, 100)}.`, event);
    this[handler](event);
  }
  closed(): void {
    this.heard = "";
  }

  updated({ session }: Json): void {
    this.session = { ...this.session, ...(isJson(session) && session) };
    this.say("session.updated", { session: this.session });
  }
  added({ item: given }: Json): void {
    const item: Json = { id: `item_${(this.items += 1)}`, object: "realtime.item", status: "completed", ...(isJson(given) && given) };
    this.heard = textOf(item);
    this.say("conversation.item.added", { previous_item_id: null, item });
    this.say("conversation.item.done", { previous_item_id: null, item });
  }
  quiet(): void {
    this.heard ||= "sound";
  }
  committed(): void {
    this.say("input_audio_buffer.committed", { previous_item_id: null, item_id: `item_${(this.items += 1)}` });
  }
  cleared(): void {
    this.say("input_audio_buffer.cleared");
  }
  refusedCancel(event: Json): void {
    this.refuse("There is no response under way.", event);
  }
  answered(): void {
    const id = `resp_${(this.responses += 1)}`;
    const text = this.heard || "Nothing was said.";
    speak({ say: (type, members) => this.say(type, members), id, itemId: `item_${(this.items += 1)}`, text });
  }

  private refuse(message: string, { event_id: eventId = null }: Json): void {
    this.say("error", { error: { type: "invalid_request_error", code: "invalid_event", message, param: "type", event_id: eventId } });
  }
  private say(type: string, members: Json = {}): void {
    this.peer.send(JSON.stringify({ type, event_id: `event_${(this.events += 1)}`, ...members }));
  }
}

const HANDLERS: Readonly<
  Record<string, "updated" | "added" | "quiet" | "committed" | "cleared" | "refusedCancel" | "answered" | undefined>
> = {
  "session.update": "updated",
  "conversation.item.create": "added",
  "input_audio_buffer.append": "quiet",
  "input_audio_buffer.commit": "committed",
  "input_audio_buffer.clear": "cleared",
  "response.cancel": "refusedCancel",
  "response.create": "answered",
};

interface Speech {
  readonly say: Say;
  readonly id: string;
  readonly itemId: string;
  readonly text: string;
}
/** One response, event by event. */
function speak({ say, id, itemId, text }: Speech): void {
  const response = { object: "realtime.response", id, status: "in_progress", output: [] };
  const item = { id: itemId, object: "realtime.item", type: "message", status: "completed", role: "assistant" };
  const place = { response_id: id, item_id: itemId, output_index: 0, content_index: 0 };
  const content = [{ type: "output_text", text }];
  say("response.created", { response });
  say("response.output_item.added", { response_id: id, output_index: 0, item: { ...item, status: "in_progress", content: [] } });
  say("response.content_part.added", { ...place, part: { type: "output_text", text: "" } });
  for (const word of text.match(/\S+\s*/g) ?? []) say("response.output_text.delta", { ...place, delta: word });
  say("response.output_text.done", { ...place, text });
  say("response.content_part.done", { ...place, part: content[0] });
  say("response.output_item.done", { response_id: id, output_index: 0, item: { ...item, content } });
  say("response.done", { response: { ...response, status: "completed", output: [{ ...item, content }], usage: usageOf(text) } });
}
function usageOf(text: string): Json {
  const words = wordsIn(text).length;
  return {
    total_tokens: words * 2,
    input_tokens: words,
    output_tokens: words,
    input_token_details: { text_tokens: words, audio_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: words, audio_tokens: 0 },
  };
}

function jsonOf(message: string | Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(typeof message === "string" ? message : "");
    return isJson(value) ? value : undefined;
  } catch {
    return undefined; // a client may send anything
  }
}

/** Realtime sessions, of text alone. */
export const realtime: Readonly<Record<"realtime", Adapter>> = {
  realtime: { converse: ({ target }, peer) => new EchoSession(peer, target.model) },
};
