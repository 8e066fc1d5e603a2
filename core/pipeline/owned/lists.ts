import { type Caller, isJson, type OwnedIds, type PageForm } from "#contract";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { asPage, withList } from "./bare-list.ts";
import { namedIds } from "./named-ids.ts";
import type { OwnerQuestion, Owners, Whose } from "./owners.ts";
import { DATA, isPage, type NextPage, ownPage, type Seen } from "./pages.ts";
import type { ServesOne } from "./sharing.ts";
import { asReply, type TextThing, textThings, wholeText, withThings } from "./text-list.ts";

type To = Try["to"];
export interface ListParts extends Pick<Owners, "whoseAll"> {
  readonly servesOne: ServesOne;
  /** May the caller see what nobody recorded? */
  seesUnrecorded(asking: OwnerQuestion, to: To): Promise<boolean>;
  askingOf(caller: Caller, to: To): OwnerQuestion;
}
/** An answer without what is another's in its lists. */
export type OwnLists = (owned: OwnedIds, reply: Reply, it: Try, next: NextPage) => Promise<Reply>;

export function ownLists({ whoseAll, servesOne, seesUnrecorded, askingOf }: ListParts): OwnLists {
  async function seenBy({ request, to }: Try, owned: OwnedIds): Promise<Seen> {
    const isId = isIdOf(owned);
    const asking = askingOf(request.caller, to);
    const sees = owned.lists === "not-others" || (await seesUnrecorded(asking, to));
    const isSeen = (id: string, whose: Whose | undefined): boolean => whose === "own" || (whose !== "another's" && (sees || !isId(id)));
    return async (ids) => {
      const whose = await whoseAll(ids, asking);
      return (id) => isSeen(id, whose.get(id));
    };
  }
  /** Of several pages that are empty so, the first with something in it. */
  async function ownPages(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const forms = formsIn(reply, owned).filter((form) => isPage(reply, form));
    if (forms.length === 0) return reply;
    const seen = await seenBy(it, owned);
    let left = reply;
    for (const form of forms) if (isPage(left, form)) left = await ownPage(left, form, next, seen);
    return left;
  }
  /** A list that stands in no object. */
  async function ownBareList(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const page = await asPage(reply, it.to.id);
    const seen = page && (await ownPages(owned, page, it, next));
    return seen && seen !== page && isPage(seen, DATA) ? withList(reply, seen) : reply;
  }
  /** An answer that does not call itself JSON: its lines, and the lists in them. */
  async function ownText(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const text = await wholeText(reply, it.request.held);
    const all = await textThings(text, reply);
    const left: TextThing[] = [];
    for (const one of await ownLines(owned, all, reply, it)) {
      const lists = Array.isArray(one.thing) ? ownBareList : ownPages;
      left.push({ ...one, ...textOf(await lists(owned, asReply(reply, one), it, next)) });
    }
    return withThings(reply, left, text);
  }
  async function ownLines(owned: OwnedIds, all: readonly TextThing[], reply: Reply, it: Try): Promise<readonly TextThing[]> {
    if (all.length === 1 && all.some((one) => Array.isArray(one.thing) || formsIn(asReply(reply, one), owned).length > 0)) return all;
    const { idOf } = owned.listsIn?.({ data: [] })[0] ?? owned.page ?? DATA;
    const ids = all.map(({ thing }) => (isJson(thing) && idOf(thing)) || "");
    const isSeen = await (await seenBy(it, owned))(ids);
    return all.filter((_, at) => isSeen(ids[at] ?? ""));
  }
  /** Is a thing of the caller's own asked for? What is in it is the caller's. A query may say anything. */
  async function isOfOwnThing(owned: OwnedIds, { call, to, request }: Try): Promise<boolean> {
    const ids = namedIds(owned, { call: { ...call, search: "" }, to, body: null });
    const whose = await whoseAll(ids, askingOf(request.caller, to));
    return ids.some((id) => whose.get(id) === "own");
  }
  return async (owned, reply, it, next) => {
    const { content } = reply;
    if (content.kind === "whole" && (owned.listsIn === undefined || content.body !== null)) return ownPages(owned, reply, it, next);
    if (content.kind === "bytes" ? isFile(owned, reply) || (await isOfOwnThing(owned, it)) : content.kind !== "whole") return reply;
    if (await servesOne(it.to)) return reply;
    return content.kind === "bytes" ? ownText(owned, reply, it, next) : ownBareList(owned, reply, it, next);
  };
}
const isFile = ({ isUpload }: OwnedIds, { headers }: Reply): boolean => isUpload?.(headers["content-type"] ?? "") === true;
const textOf = ({ content }: Reply): Partial<Pick<TextThing, "text">> => (content.kind === "whole" ? { text: content.text } : {});
const formsIn = ({ content }: Reply, { page, listsIn }: OwnedIds): readonly PageForm[] =>
  listsIn && content.kind === "whole" && content.body ? listsIn(content.body) : [page ?? DATA];

export type IsId = (text: string) => boolean;
export const isIdOf = ({ looksLikeId }: OwnedIds): IsId => looksLikeId ?? always;
const always = (): boolean => true;
