import type { MountedOperation, OwnedIds } from "#contract";
import { discarded } from "../call/attempt.ts";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { type OwnLists, ownLists } from "./lists.ts";
import { namedIds } from "./named-ids.ts";
import type { OwnerQuestion } from "./owners.ts";
import type { OwnerLookups } from "./ownership.ts";
import type { NextPage } from "./pages.ts";
import { heardStream } from "./streamed-ids.ts";
import type { Uncounted } from "./uncounted.ts";

/** Records what answers make before their clients have them, and leaves out of lists what is another's. */
export class AnswerIds {
  readonly #lookups: OwnerLookups;
  readonly #unfinished: Uncounted;
  readonly #withoutOthers: OwnLists;
  constructor(lookups: OwnerLookups, unfinished: Uncounted) {
    this.#lookups = lookups;
    this.#unfinished = unfinished;
    this.#withoutOthers = ownLists({ ...lookups, whoseAll: (ids, asking) => lookups.owners.whoseAll(ids, asking) });
  }

  async settle(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    if (reply.status >= 300) return reply;
    try {
      return await this.#noteBegun(await this.#recorded(owned, reply, it, next), owned, it);
    } catch (thrown) {
      await discarded(reply.content); // nobody will read it
      throw thrown;
    }
  }

  async #recorded(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const { request, to, call } = it;
    const { owners, servesOne, askingOf } = this.#lookups;
    const asking = askingOf(request.caller, to);
    if (isDeletion(call.row)) for (const id of namedIds(owned, { call, to, body: null })) await owners.forget(id, asking).catch(stays);
    const seen = owned.lists ? await this.#withoutOthers(owned, reply, it, next) : reply;
    const { made } = owned;
    if (made === undefined || to.served !== null) return seen; // made by translation: its ids are nobody's elsewhere
    const parts = owned.parts !== undefined && !(await servesOne(to)) ? owned.parts : undefined;
    if (seen.content.kind !== "whole") return heardStream(seen, { made, parts }, (ids) => this.#record(ids, asking, owned));
    const { body } = seen.content;
    if (body !== null) await this.#record([...made(body), ...(parts?.of(body) ?? [])], asking, owned);
    return seen;
  }

  /** Where nobody declared what an answer makes, it may only name it. */
  async #record(ids: readonly string[], asking: OwnerQuestion, { temporary, looksLikeId }: OwnedIds): Promise<void> {
    await this.#lookups.owners.record(ids, asking, { temporary: temporary === true, mayOnlyBeNamed: looksLikeId !== undefined });
  }

  /** What goes on behind the answer is noted before its client hears of it. */
  async #noteBegun(reply: Reply, { begins }: OwnedIds, { body, to, request }: Try): Promise<Reply> {
    if (begins === undefined || to.served !== null || !begins.by(body ?? {})) return reply;
    const begun: string[] = [];
    const note = async (ids: readonly string[]): Promise<void> => {
      await this.#unfinished.note(ids, { caller: request.caller, to });
      begun.push(...ids);
    };
    const noting = { ...reply, begun };
    if (reply.content.kind !== "whole") return heardStream(noting, { made: begins.ids, parts: undefined }, note);
    if (reply.content.body !== null) await note(begins.ids(reply.content.body));
    return noting;
  }
}

/** What is left of a thing that is gone does no harm. */
const stays = (): void => undefined;

/** Does it delete the thing itself, and not one of a thing's parts? */
const isDeletion = ({ method, path }: MountedOperation): boolean => method === "DELETE" && /^\/[\w/-]+\/:\w+$/.test(path);
