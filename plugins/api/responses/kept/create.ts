import { type Call, type Caller, isJson, type Json, type KeptAnswers, type OperationRoute, parseJson, type PreparedBody } from "#contract";
import { object } from "../../content/wire.ts";
import { asInput, conversationTo } from "./conversation.ts";
import { isKept } from "../response.ts";
import { itemsOf } from "./items.ts";
import { isOwnId } from "./record.ts";
import { hasReferences, resolved } from "./references.ts";
import { type KeptStore, MAX_BYTES, tooLong } from "./store.ts";

const bodyOf = ({ body }: Call): Json => (body.kind === "json" ? body.value : {});

/** What the route that makes responses has beside its own: earlier responses that it continues, and keeping of what it makes. */
export const creating = (store: KeptStore): Required<Pick<OperationRoute, "prepare" | "keeps">> => ({
  prepare: (call, caller) => {
    const body = bodyOf(call);
    if (isOwnId(body.previous_response_id)) return continued(body, body.previous_response_id, caller, store);
    // what is left is of its provider's keeping
    return hasReferences(body.input) ? withItems(body, itemsOf(body.input), caller, store) : undefined;
  },
  keeps: keeping(store),
});

async function continued(request: Json, id: string, caller: Caller, store: KeptStore): Promise<PreparedBody> {
  const { previous_response_id: _, ...body } = request;
  const conversation = await conversationTo(id, caller, store);
  const { body: whole, bytes } = await withItems(body, [...asInput(conversation), ...itemsOf(body.input)], caller, store);
  return { body: whole, bytes: conversation.bytes + bytes, echo: { previous_response_id: id } };
}
async function withItems(body: Json, input: readonly Json[], caller: Caller, store: KeptStore): Promise<PreparedBody> {
  const { items, bytes } = await resolved(input, caller, store);
  return { body: { ...body, input: items }, bytes };
}

const keeping = (store: KeptStore): KeptAnswers => ({
  wants: (call) => isKept(bodyOf(call), call.control),
  completed,
  keep: async (answer, call, { organisationId, workspaceId }, judged) => {
    const { input, previous_response_id: previous } = bodyOf(call);
    if (!isOwnId(answer.id)) return;
    const previous_id = isOwnId(previous) ? previous : null;
    const response = { ...answer, previous_response_id: previous ?? null, store: true };
    await store.keep(
      { id: answer.id, organisation_id: organisationId, workspace_id: workspaceId, previous_id },
      { input: judged ? itemsLeft(judged, input) : itemsOf(input), response },
    );
  },
});

/** What guardrails left of the client's own items: they stand behind the conversation that they continue. */
function itemsLeft(judged: Json, input: unknown): readonly Json[] {
  const count = itemsOf(input).length;
  return count === 0 ? [] : itemsOf(judged.input).slice(-count);
}

/** The events that end a good answer. In JSON a line break is written otherwise, so that neither can stand in a text. */
const LAST = ["event: response.completed\ndata: ", "event: response.incomplete\ndata: "] as const;

function completed(wire: string): Json | undefined {
  for (const head of LAST) {
    const at = wire.indexOf(head);
    if (at === -1) continue;
    const from = at + head.length;
    if (wire.length - from > MAX_BYTES) throw tooLong(); // reading it would be for nothing
    const { response } = object(parseJson(wire.slice(from, wire.indexOf("\n", from))));
    return isJson(response) ? response : undefined;
  }
  return undefined;
}
