import { Type } from "@sinclair/typebox";
import {
  type BodyContent,
  type Call,
  type Caller,
  type EndedWork,
  GatewayError,
  type Json,
  NO_CONTENT,
  type OperationId,
  type OperationRoute,
  type OwnedIds,
} from "#contract";
import { tokenUsage, usageAtEnd } from "../../content/token-usage.ts";
import { text } from "../../content/wire.ts";
import { owned } from "../owned.ts";
import { RETRIEVED, RETRIEVED_IN_EVENTS } from "../retrieved.ts";
import { asShown, conversationTo } from "./conversation.ts";
import { shownItems } from "./items.ts";
import { ItemsQuery, pageOf, queryOf, ResponseQuery } from "./page.ts";
import { isOwnId, type KeptResponse } from "./record.ts";
import type { KeptContent, KeptStore } from "./store.ts";

const open = { additionalProperties: true } as const;
const KeptReply = Type.Object(
  { id: Type.String(), object: Type.Literal("response"), status: Type.String(), output: Type.Array(Type.Object({}, open)) },
  { ...open, $id: "RetrievedResponse" },
);
const ResponseDeleted = Type.Object(
  { id: Type.String(), object: Type.String({ description: "`response`." }), deleted: Type.Boolean() },
  { ...open, $id: "ResponseDeleted" },
);
const ItemList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(Type.Object({}, open)), has_more: Type.Boolean() },
  { ...open, $id: "ResponseItemList" },
);

/** What becomes of a response later: read, its input listed, cancelled, deleted. An id of a provider's goes to the provider. */
export const laterRoutes = (store: KeptStore): readonly OperationRoute[] => [
  {
    ...later("getModelResponse", store, getKept),
    query: ResponseQuery,
    reply: KeptReply,
    description: "A response that the gateway keeps cannot be had as a stream again.",
  },
  {
    ...later("deleteModelResponse", store, deleteKept),
    reply: ResponseDeleted,
    description: "An unknown id gives 404 with the flat error body.",
  },
  {
    ...later("cancelModelResponse", store, refuseCancel),
    reply: KeptReply,
    description: "Only a response that was created with background: true and still runs can be cancelled.",
  },
  {
    ...later("listResponseInputItems", store, listKept),
    query: ItemsQuery,
    reply: ItemList,
    description: "What the response was made from, the conversation that it continued among it; the newest item first.",
  },
];

/** A kept response that was found, and who asks for it how. */
interface KeptRequest {
  readonly store: KeptStore;
  readonly record: KeptResponse;
  readonly content: KeptContent;
  readonly call: Call;
  readonly caller: Caller;
}
const { named: _, begins: __, ...making } = owned;
/** What is read of a response that is still being made has items that nobody recorded yet. */
const ofPath: OwnedIds = { ...making, params: ["response_id"] };

type Answer = (request: KeptRequest) => Json | Promise<Json>;

/** One in the background was not counted when it was created: its usage is known when it has ended. */
const TELLS_ENDS: BodyContent = { usage: tokenUsage, usageAtEnd, ended: { in: endedIn, param: "response_id" } };
function endedIn(answer: Json): readonly EndedWork[] {
  const [id, usage] = [text(answer.id), tokenUsage(answer)];
  return id === undefined || usage === undefined ? [] : [{ id, usage, model: text(answer.model) ?? null }];
}

/** What their answers say; of the others that is nothing. */
const SAID: { readonly [id in OperationId]?: BodyContent } = {
  getModelResponse: { ...RETRIEVED_IN_EVENTS, ...TELLS_ENDS },
  cancelModelResponse: { ...RETRIEVED, ...TELLS_ENDS },
};
const later = (
  operation: OperationId,
  store: KeptStore,
  answer: Answer,
): Pick<OperationRoute, "operation" | "content" | "owned" | "local"> => ({
  operation,
  content: SAID[operation] ?? NO_CONTENT,
  owned: ofPath,
  local: (call, caller) => {
    const id = call.params["response_id"];
    return isOwnId(id) ? found(id, caller, store).then((kept) => answer({ ...kept, store, call, caller })) : undefined;
  },
});

async function found(id: string, caller: Caller, store: KeptStore): Promise<Pick<KeptRequest, "record" | "content">> {
  const record = await store.find(id, caller);
  const content = record && (await store.content(record));
  if (!record || !content) throw new GatewayError("NOT_FOUND", { what: `response with the id ${id}` });
  return { record, content };
}

const getKept: Answer = ({ content, call }) => {
  if (queryOf(ResponseQuery, call.search).stream !== true) return content.response;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: "A response that the gateway keeps is given whole; leave out stream." },
    { param: "stream" },
  );
};

const deleteKept: Answer = async ({ record, store }) => {
  await store.remove(record);
  return { id: record.id, object: "response", deleted: true };
};

const refuseCancel: Answer = ({ record, content }) => {
  const what = `The response ${record.id} is ${String(content.response.status)}: only one that runs in the background can be cancelled.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "response_id" });
};

const listKept: Answer = async ({ record, content, store, call, caller }) => {
  const query = queryOf(ItemsQuery, call.search);
  const before = record.previous_id === null ? [] : asShown(await conversationTo(record.previous_id, caller, store));
  return pageOf([...before, ...shownItems(content.input, record.id)], query);
};
