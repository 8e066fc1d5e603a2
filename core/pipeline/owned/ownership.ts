import {
  type Caller,
  GatewayError,
  type MaybePromise,
  type MountedOperation,
  type OwnedIds,
  type PageForm,
  type RecordsHandle,
  type Vault,
} from "#contract";
import { discarded } from "../call/attempt.ts";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { markOf, secretsIn } from "./credential.ts";
import { asPage, withList } from "./bare-list.ts";
import { type Naming, namedIds } from "./named-ids.ts";
import { type OwnerQuestion, owners, type Whose } from "./owners.ts";
import { DATA, isPage, type NextPage, ownPage, type Seen } from "./pages.ts";
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
  /** Of what passes. Who brings the key may ask its provider for anything without us. */
  async function judgePassing(owned: OwnedIds, caller: Caller, naming: Naming): Promise<void> {
    const { call, to, body } = naming;
    if (to.kept === null && secretsIn(to).length > 0) return;
    if (call.body.kind === "raw" && owned.isUpload?.(call.body.contentType) === false && !(await servesOne(to)))
      throw notReadable(call.body.contentType);
    const inBody = (body && (await owned.namedInTurns?.(body))) ?? [];
    await refuseForeign(namedIds({ ...owned, named: () => inBody }, naming), caller, naming, isIdOf(owned));
  }
  async function recordMade(ids: readonly string[], asking: OwnerQuestion, owned: OwnedIds): Promise<void> {
    const isDeclared = owned.looksLikeId === undefined;
    await ownerRecords.record(isDeclared ? ids : await notAnothers(ids, asking), asking, owned.temporary === true);
  }
  /** Where nobody declared what an answer makes, it may only name it. */
  async function notAnothers(ids: readonly string[], asking: OwnerQuestion): Promise<readonly string[]> {
    const whose = ids.length > 0 ? await ownerRecords.whoseAll(ids, asking) : undefined;
    return ids.filter((id) => whose?.get(id) !== "another's");
  }
  /** The page without what is another's. */
  async function listed(reply: Reply, it: Try, next: NextPage, owned: OwnedIds): Promise<Reply> {
    if (owned.listsIn === undefined || reply.content.kind !== "whole" || reply.content.body !== null)
      return pagesOf(reply, it, next, owned);
    const page = (await servesOne(it.to)) ? null : await asPage(reply, it.to.id);
    const seen = page && (await pagesOf(page, it, next, owned));
    return seen && seen !== page && isPage(seen, DATA) ? withList(reply, seen) : reply;
  }
  /** Of several that are empty so, the first with something in it. */
  async function pagesOf(reply: Reply, it: Try, next: NextPage, owned: OwnedIds): Promise<Reply> {
    const forms = formsIn(reply, owned).filter((form) => isPage(reply, form));
    if (forms.length === 0) return reply;
    const { request, to } = it;
    const isId = isIdOf(owned);
    const asking = askingOf(request.caller, to);
    const sees = owned.lists === "not-others" || (await seesUnrecorded(asking, to));
    const isSeen = (id: string, whose: Whose | undefined): boolean => whose === "own" || (whose !== "another's" && (sees || !isId(id)));
    const seenOf: Seen = async (ids) => {
      const whose = await ownerRecords.whoseAll(ids, asking);
      return (id) => isSeen(id, whose.get(id));
    };
    let seen = reply;
    for (const form of forms) if (isPage(seen, form)) seen = await ownPage(seen, form, next, seenOf);
    return seen;
  }
  async function settled(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const { request, to, call } = it;
    const asking = askingOf(request.caller, to);
    if (isDeletion(call.row))
      for (const id of namedIds(owned, { call, to, body: null })) await ownerRecords.forget(id, asking).catch(stays);
    const seen = owned.lists ? await listed(reply, it, next, owned) : reply;
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
      if (owned.namedInTurns) return judgePassing(owned, caller, named);
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

const formsIn = ({ content }: Reply, { page, listsIn }: OwnedIds): readonly PageForm[] =>
  listsIn && content.kind === "whole" && content.body ? listsIn(content.body) : [page ?? DATA];

const notReadable = (contentType: string): GatewayError =>
  new GatewayError(
    "CONTENT_TYPE",
    {
      got: contentType.slice(0, 200) || "(none)",
      expected: "application/json, or the type of a file: several workspaces share this credential",
    },
    { param: "content-type" },
  );

/** So many ids are looked up one by one, and kept in memory; more are asked for together. */
const AT_ONCE = 8;
const MAX_SHOWN = 100;
const unknownId = (id: string): GatewayError => new GatewayError("ID_UNKNOWN", { id: id.slice(0, MAX_SHOWN) });

/** What is left of a thing that is gone does no harm. */
const stays = (): void => undefined;

/** Does it delete the thing itself, and not one of a thing's parts? */
const isDeletion = ({ method, path }: MountedOperation): boolean => method === "DELETE" && /^\/[\w/-]+\/:\w+$/.test(path);
