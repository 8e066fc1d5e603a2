import { type Caller, defineErrors, GatewayError, type Json } from "#contract";
import { objects } from "../../content/wire.ts";
import { carried, shownItems } from "./items.ts";
import type { KeptResponse } from "./record.ts";
import type { KeptContent, KeptStore } from "./store.ts";

export const errors = defineErrors({
  PREVIOUS_RESPONSE_NOT_FOUND: {
    status: 400,
    type: "invalid_request_error",
    message: "Previous response with id '{id}' not found: it was never kept, is of another workspace, has expired or was deleted.",
  },
  CONVERSATION_TOO_LONG: {
    status: 400,
    type: "invalid_request_error",
    message:
      "The conversation that previous_response_id continues has more than {turns} turns, {items} items or {mb} MB. Send the items that still count as input.",
  },
});

/** Turns of a conversation that a request may continue. */
const MAX_TURNS = 500;
const MAX_BYTES = 16 * 1024 * 1024;
/** Items of all its turns: whoever maps them to a provider's own does it in one turn. */
const MAX_ITEMS = 5_000;
/** Contents that are read at a time. */
const AT_ONCE = 8;

/** One turn: the record of its response, and what was said. */
interface Turn {
  readonly record: KeptResponse;
  readonly content: KeptContent;
}
/** Turns one behind the other, the oldest first. */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly bytes: number;
}

/** Everything up to a kept response, that one included. A turn that is gone breaks it: half a conversation would be another one. */
export async function conversationTo(id: string, caller: Caller, store: KeptStore): Promise<Conversation> {
  const { records, bytes } = await recordsTo(id, caller, store);
  const turns: Turn[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const some = records.slice(at, at + AT_ONCE);
    turns.push(...(await Promise.all(some.map(async (record) => ({ record, content: (await store.content(record)) ?? gone(record.id) })))));
    if (turns.reduce((items, turn) => items + itemsIn(turn), 0) > MAX_ITEMS) throw tooLong();
  }
  return { turns, bytes };
}

const itemsIn = ({ content }: Turn): number => content.input.length + objects(content.response.output).length;

async function recordsTo(last: string, caller: Caller, store: KeptStore): Promise<{ records: readonly KeptResponse[]; bytes: number }> {
  const records: KeptResponse[] = [];
  let bytes = 0;
  for (let id: string | null = last; id !== null; ) {
    const record: KeptResponse = (await store.find(id, caller)) ?? gone(id);
    records.push(record);
    bytes += record.bytes;
    if (records.length > MAX_TURNS || bytes > MAX_BYTES) throw tooLong();
    id = record.previous_id;
  }
  return { records: records.reverse(), bytes };
}
const MAX_SHOWN = 100;
const gone = (id: string): never => {
  throw new GatewayError(errors.PREVIOUS_RESPONSE_NOT_FOUND, { id: id.slice(0, MAX_SHOWN) }, { param: "previous_response_id" });
};
const tooLong = (): GatewayError =>
  new GatewayError(
    errors.CONVERSATION_TOO_LONG,
    { turns: MAX_TURNS, items: MAX_ITEMS, mb: MAX_BYTES / 1024 / 1024 },
    { param: "previous_response_id" },
  );

/** What was said, as input of the next request. */
export const asInput = ({ turns }: Conversation): readonly Json[] =>
  turns.flatMap(({ content }) => [...content.input, ...objects(content.response.output).map(carried)]);

/** The same as a list of items shows it. */
export const asShown = ({ turns }: Conversation): readonly Json[] =>
  turns.flatMap(({ record, content }) => [...shownItems(content.input, record.id), ...objects(content.response.output)]);
