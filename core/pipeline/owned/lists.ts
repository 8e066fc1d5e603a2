import type { Caller, OwnedIds, PageForm } from "#contract";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { asPage, withList } from "./bare-list.ts";
import type { OwnerQuestion, Owners, Whose } from "./owners.ts";
import { DATA, isPage, type NextPage, ownPage, type Seen } from "./pages.ts";
import type { ServesOne } from "./sharing.ts";

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
  return async (owned, reply, it, next) => {
    if (owned.listsIn === undefined || reply.content.kind !== "whole" || reply.content.body !== null)
      return ownPages(owned, reply, it, next);
    const page = (await servesOne(it.to)) ? null : await asPage(reply, it.to.id);
    const seen = page && (await ownPages(owned, page, it, next));
    return seen && seen !== page && isPage(seen, DATA) ? withList(reply, seen) : reply;
  };
}
const formsIn = ({ content }: Reply, { page, listsIn }: OwnedIds): readonly PageForm[] =>
  listsIn && content.kind === "whole" && content.body ? listsIn(content.body) : [page ?? DATA];

export type IsId = (text: string) => boolean;
export const isIdOf = ({ looksLikeId }: OwnedIds): IsId => looksLikeId ?? always;
const always = (): boolean => true;
