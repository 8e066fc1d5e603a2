import {
  type Caller,
  GatewayError,
  type MaybePromise,
  type MountedOperation,
  type OwnedIds,
  type RecordsHandle,
  type Vault,
} from "#contract";
import { discarded } from "../call/attempt.ts";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { markOf } from "./credential.ts";
import { type Naming, namedIds } from "./named-ids.ts";
import { type OwnerQuestion, owners, type Whose } from "./owners.ts";
import { DATA, isPage, type NextPage, ownPage, type PageReply } from "./pages.ts";
import { sharing } from "./sharing.ts";
import { heardStream } from "./streamed-ids.ts";

/**
 * Several workspaces may share one credential. What a provider makes for one of them is recorded with workspace and
 * credential before its client has the answer; for the others it is not there. What nobody recorded (it was made
 * elsewhere, or before) is there for a credential that serves one workspace, and for one that the request brought itself.
 */
export interface Ownership {
  /** Throws ID_UNKNOWN for a request that names what is not there for its caller. */
  judge(owned: OwnedIds, caller: Caller, named: Naming): MaybePromise<void>;
  /** The same of a model that was trained for another workspace. */
  judgeModel(caller: Caller, to: Try["to"]): Promise<void>;
  /** The answer as its caller may have it. `next` asks for a further page. */
  settle(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply>;
}
export interface OwnershipParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly now: () => number;
}

export function ownership(parts: OwnershipParts): Ownership {
  const ownerRecords = owners(parts);
  const servesOne = sharing(parts);
  const askingOf = (caller: Caller, to: Try["to"]): OwnerQuestion => ({ tenant: caller, mark: markOf(to, parts.vault) });

  async function refuseForeign(ids: readonly string[], caller: Caller, { to }: Naming, isId: IsId): Promise<void> {
    const asking = askingOf(caller, to);
    const all = ids.length > AT_ONCE ? await ownerRecords.whoseAll(ids, asking) : undefined;
    for (const id of ids) {
      const whose = all ? (all.get(id) ?? "unrecorded") : await ownerRecords.whose(id, asking);
      if (whose === "own" || (whose === "unrecorded" && (!isId(id) || (await seesUnrecorded(asking, to))))) continue;
      throw unknownId(id);
    }
  }
  const seesUnrecorded = async (asking: OwnerQuestion, to: Try["to"]): Promise<boolean> =>
    (await servesOne(to)) && !(await ownerRecords.othersForgot(asking));
  async function recordMade(ids: readonly string[], asking: OwnerQuestion, { temporary }: OwnedIds): Promise<void> {
    await ownerRecords.record(ids, asking, temporary === true);
  }
  /** The page without what is another's; of several that are empty so, the first with something in it. */
  async function listed(reply: PageReply, it: Try, next: NextPage, owned: OwnedIds): Promise<Reply> {
    const { request, to } = it;
    const isId = isIdOf(owned);
    const asking = askingOf(request.caller, to);
    const sees = owned.lists === "not-others" || (await seesUnrecorded(asking, to));
    const isSeen = (id: string, whose: Whose | undefined): boolean => whose === "own" || (whose !== "another's" && (sees || !isId(id)));
    return ownPage(reply, owned.page ?? DATA, next, async (ids) => {
      const whose = await ownerRecords.whoseAll(ids, asking);
      return (id) => isSeen(id, whose.get(id));
    });
  }
  async function settled(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const { request, to, call } = it;
    const asking = askingOf(request.caller, to);
    if (isDeletion(call.row))
      for (const id of namedIds(owned, { call, to, body: null })) await ownerRecords.forget(id, asking).catch(stays);
    const seen = owned.lists && isPage(reply, owned.page ?? DATA) ? await listed(reply, it, next, owned) : reply;
    const { made } = owned;
    if (made === undefined || to.served !== null) return seen; // made by translation: its ids are nobody's elsewhere
    const parts = owned.parts !== undefined && !(await servesOne(to)) ? owned.parts : undefined;
    if (seen.content.kind !== "whole") return heardStream(seen, { made, parts }, (ids) => recordMade(ids, asking, owned));
    const { body } = seen.content;
    if (body !== null) await recordMade([...made(body), ...(parts?.of(body) ?? [])], asking, owned);
    return seen;
  }

  return {
    judge(owned, caller, named) {
      const ids = namedIds(owned, named);
      return ids.length === 0 ? undefined : refuseForeign(ids, caller, named, isIdOf(owned));
    },
    async judgeModel(caller, to) {
      const { model } = to.target;
      if ((await ownerRecords.whose(model, askingOf(caller, to))) === "another's") throw unknownId(model);
    },
    async settle(owned, reply, it, next) {
      if (reply.status >= 300) return reply;
      try {
        return await settled(owned, reply, it, next);
      } catch (thrown) {
        await discarded(reply.content); // nobody will read it
        throw thrown;
      }
    },
  };
}
type IsId = (text: string) => boolean;
const isIdOf = ({ looksLikeId }: OwnedIds): IsId => looksLikeId ?? always;
const always = (): boolean => true;

/** So many ids are looked up one by one, and kept in memory; more are asked for together. */
const AT_ONCE = 8;
const MAX_SHOWN = 100;
const unknownId = (id: string): GatewayError => new GatewayError("ID_UNKNOWN", { id: id.slice(0, MAX_SHOWN) });

/** What is left of a thing that is gone does no harm. */
const stays = (): void => undefined;

/** Does it delete the thing itself, and not one of a thing's parts? */
const isDeletion = ({ method, path }: MountedOperation): boolean => method === "DELETE" && /^\/[\w/-]+\/:\w+$/.test(path);
