import {
  type Call,
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
import { markOf, secretsIn } from "./credential.ts";
import { type IsId, isIdOf, ownLists } from "./lists.ts";
import { type Naming, namedIds } from "./named-ids.ts";
import { type OwnerQuestion, owners } from "./owners.ts";
import type { NextPage } from "./pages.ts";
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

  const seesUnrecorded = async (asking: OwnerQuestion, to: Try["to"]): Promise<boolean> =>
    (await servesOne(to)) && !(await ownerRecords.othersForgot(asking));
  const withoutOthers = ownLists({ whoseAll: ownerRecords.whoseAll, servesOne, seesUnrecorded, askingOf });

  async function refuseForeign(ids: readonly string[], caller: Caller, { to }: Naming, isId: IsId): Promise<void> {
    const asking = askingOf(caller, to);
    const all = ids.length > AT_ONCE ? await ownerRecords.whoseAll(ids, asking) : undefined;
    for (const id of ids) {
      const whose = all ? (all.get(id) ?? "unrecorded") : await ownerRecords.whose(id, asking);
      if (whose === "own" || (whose === "unrecorded" && (!isId(id) || (await seesUnrecorded(asking, to))))) continue;
      throw unknownId(id);
    }
  }
  /** Of what passes. Who brings the key may ask its provider for anything without us. */
  async function judgePassing(owned: OwnedIds, caller: Caller, naming: Naming): Promise<void> {
    const { call, to, body } = naming;
    if (to.kept === null && secretsIn(to).length > 0) return;
    if (call.body.kind === "raw" && owned.isUpload?.(call.body.contentType) === false && !(await servesOne(to)))
      throw notReadable(call.body.contentType);
    const inBody = (body && (await owned.namedInTurns?.(body))) ?? [];
    await refuseForeign(namedIds({ ...owned, named: () => inBody }, naming), caller, naming, isIdOf(owned));
  }
  /** Where nobody declared what an answer makes, it may only name it. */
  async function recordMade(ids: readonly string[], asking: OwnerQuestion, { temporary, looksLikeId }: OwnedIds): Promise<void> {
    await ownerRecords.record(ids, asking, { temporary: temporary === true, mayOnlyBeNamed: looksLikeId !== undefined });
  }
  async function settled(owned: OwnedIds, reply: Reply, it: Try, next: NextPage): Promise<Reply> {
    const { request, to, call } = it;
    const asking = askingOf(request.caller, to);
    if (isDeletion(call.row))
      for (const id of namedIds(owned, { call, to, body: null })) await ownerRecords.forget(id, asking).catch(stays);
    const seen = owned.lists ? await withoutOthers(owned, reply, it, next) : reply;
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
      const judged = ids.length === 0 ? undefined : refuseForeign(ids, caller, named, isIdOf(owned));
      const { unfit } = owned;
      return unfit && isUnfit(named.call) ? Promise.resolve(judged).then(() => judgePassing(unfit, caller, named)) : judged;
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
const isUnfit = ({ body }: Call): boolean => body.kind === "json" && body.unfit === true;
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
