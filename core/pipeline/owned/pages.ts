import { isJson, type Json } from "#contract";
import { written } from "../../json/written.ts";
import { discarded } from "../call/attempt.ts";
import type { Reply } from "../call/reply.ts";
import type { Content } from "../stream/content.ts";

/** Asks the provider for the page behind this id. */
export type NextPage = (after: string) => Promise<Reply>;
/** Which of these ids the caller sees; a thing without one is like one that nobody recorded. */
export type Seen = (ids: readonly string[]) => Promise<(id: string) => boolean>;
type Whole = Extract<Content, { kind: "whole" }>;
export interface PageReply extends Reply {
  readonly content: Whole & { readonly body: Json };
}

/** Is it a page of things? */
export const isPage = (reply: Reply): reply is PageReply =>
  reply.status < 300 && reply.content.kind === "whole" && reply.content.body !== null && Array.isArray(reply.content.body["data"]);

/** Pages that are asked for, one behind the other, until there is one with something of the caller's in it. */
const MOST_PAGES = 20;
/** Ids that are asked for together. */
const AT_ONCE = 500;

/**
 * A page without what its caller does not see. A client goes on behind the last thing it got: where it would get nothing,
 * and there is more, the next page is asked for on its behalf.
 */
export async function ownPage(first: PageReply, next: NextPage, seen: Seen): Promise<Reply> {
  let reply = first;
  for (let count = 1; ; count += 1) {
    const page = await withoutUnseen(reply.content.body, seen);
    const last = lastId(reply.content.body);
    if (count === MOST_PAGES || last === undefined || !isEmptied(page)) return withPage(reply, page);
    const further = await next(last);
    if (!isPage(further)) {
      await discarded(further.content);
      return withPage(reply, page);
    }
    reply = further;
  }
}

async function withoutUnseen(page: Json, seen: Seen): Promise<Json> {
  const things = thingsIn(page);
  const kept: unknown[] = [];
  for (let from = 0; from < things.length; from += AT_ONCE) {
    const some = things.slice(from, from + AT_ONCE);
    const isSeen = await seen(some.flatMap(idOf));
    kept.push(...some.filter((thing) => isSeen(idOf(thing)[0] ?? "")));
  }
  return kept.length === things.length ? page : { ...page, data: kept, ...ends(page, kept) };
}
const thingsIn = ({ data }: Json): readonly unknown[] => (Array.isArray(data) ? data : []);
const idOf = (thing: unknown): readonly string[] => (isJson(thing) && typeof thing["id"] === "string" ? [thing["id"]] : []);

/** The ids of a page's ends, and how many things there are, where it says them. */
function ends(page: Json, kept: readonly unknown[]): Json {
  const members: Json = {};
  if (page["first_id"] !== undefined) members["first_id"] = idOf(kept.at(0))[0] ?? null;
  if (page["last_id"] !== undefined) members["last_id"] = idOf(kept.at(-1))[0] ?? null;
  for (const total of ["total", "total_count"]) if (typeof page[total] === "number") members[total] = kept.length; // of others, too
  return members;
}
const isEmptied = (page: Json): boolean => page["has_more"] === true && thingsIn(page).length === 0;
const lastId = (page: Json): string | undefined => idOf(thingsIn(page).at(-1))[0];

async function withPage(reply: PageReply, page: Json): Promise<Reply> {
  const { content } = reply;
  return page === content.body ? reply : { ...reply, content: { ...content, body: page, text: await written(page, content.text) } };
}
