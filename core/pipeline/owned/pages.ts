import { isJson, type Json, type PageForm } from "#contract";
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

export const DATA: PageForm = { member: "data", idOf: ({ id }) => (typeof id === "string" ? id : undefined) };

/** Is it a page of things? */
export const isPage = (reply: Reply, { member }: PageForm): reply is PageReply =>
  reply.status < 300 && reply.content.kind === "whole" && reply.content.body !== null && Array.isArray(reply.content.body[member]);

/** Pages that are asked for, one behind the other, until there is one with something of the caller's in it. */
const MOST_PAGES = 20;
/** Ids that are asked for together. */
const AT_ONCE = 500;

/**
 * A page without what its caller does not see. A client goes on behind the last thing it got: where it would get nothing,
 * and there is more, the next page is asked for on its behalf.
 */
export async function ownPage(first: PageReply, form: PageForm, next: NextPage, seen: Seen): Promise<Reply> {
  let reply = first;
  for (let count = 1; ; count += 1) {
    const page = await withoutUnseen(reply.content.body, form, seen);
    const last = idsOf(thingsIn(reply.content.body, form).slice(-1), form)[0];
    if (count === MOST_PAGES || last === undefined || !isEmptied(page, form)) return withPage(reply, page);
    const further = await next(last);
    if (!isPage(further, form)) {
      await discarded(further.content);
      return withPage(reply, page);
    }
    reply = further;
  }
}

async function withoutUnseen(page: Json, form: PageForm, seen: Seen): Promise<Json> {
  const things = thingsIn(page, form);
  const kept: unknown[] = [];
  for (let from = 0; from < things.length; from += AT_ONCE) {
    const some = things.slice(from, from + AT_ONCE);
    const isSeen = await seen(idsOf(some, form));
    kept.push(...some.filter((thing) => isSeen(idsOf([thing], form)[0] ?? "")));
  }
  return kept.length === things.length ? page : { ...page, [form.member]: kept, ...ends(page, kept, form) };
}
function thingsIn(page: Json, { member }: PageForm): readonly unknown[] {
  const things = page[member];
  return Array.isArray(things) ? things : [];
}
const idsOf = (things: readonly unknown[], { idOf }: PageForm): readonly string[] =>
  things.flatMap((thing) => (isJson(thing) ? (idOf(thing) ?? []) : []));

/** The ids of a page's ends, and how many things there are, where it says them. */
function ends(page: Json, kept: readonly unknown[], form: PageForm): Json {
  const members: Json = {};
  if (page["first_id"] !== undefined) members["first_id"] = idsOf(kept.slice(0, 1), form)[0] ?? null;
  if (page["last_id"] !== undefined) members["last_id"] = idsOf(kept.slice(-1), form)[0] ?? null;
  for (const total of ["total", "total_count"]) if (typeof page[total] === "number") members[total] = kept.length; // of others, too
  return members;
}
const isEmptied = (page: Json, form: PageForm): boolean => page["has_more"] === true && thingsIn(page, form).length === 0;

async function withPage(reply: PageReply, page: Json): Promise<Reply> {
  const { content } = reply;
  return page === content.body ? reply : { ...reply, content: { ...content, body: page, text: await written(page, content.text) } };
}
