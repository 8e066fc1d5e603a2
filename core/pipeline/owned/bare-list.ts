import { GatewayError } from "#contract";
import { upstreamJson } from "../../json/long-json.ts";
import { written } from "../../json/written.ts";
import type { Reply } from "../call/reply.ts";
import { DATA, type PageReply } from "./pages.ts";

/* Some providers answer a list that stands in no object. */

/** As a page; `null` for a number or a word. Throws UPSTREAM_INVALID for what nobody can read: it may hold anybody's things. */
export async function asPage(reply: Reply, provider: string): Promise<PageReply | null> {
  const { content } = reply;
  if (content.kind !== "whole") return null;
  const value = await upstreamJson(content.text).catch((thrown: unknown) => {
    const why = "it cannot be read, and several workspaces share this credential, so nobody can tell whose the things in it are";
    throw new GatewayError("UPSTREAM_INVALID", { provider, why }, { cause: thrown });
  });
  return Array.isArray(value) ? { ...reply, content: { ...content, body: { [DATA.member]: value } } } : null;
}

/** The answer with what is left of its list. */
export async function withList(reply: Reply, { content: { body } }: PageReply): Promise<Reply> {
  const things = body[DATA.member];
  if (reply.content.kind !== "whole" || !Array.isArray(things)) return reply;
  return { ...reply, content: { ...reply.content, text: await written(things, reply.content.text) } };
}
