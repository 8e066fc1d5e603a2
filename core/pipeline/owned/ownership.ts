import type { Caller, MaybePromise, OwnedIds, RecordsHandle, Vault } from "#contract";
import type { Reply } from "../call/reply.ts";
import type { Try } from "../call/try.ts";
import { AnswerIds } from "./answer-ids.ts";
import { markOf } from "./credential.ts";
import type { Naming } from "./named-ids.ts";
import { type OwnerQuestion, type Owners, owners } from "./owners.ts";
import type { NextPage } from "./pages.ts";
import { RequestIds } from "./request-ids.ts";
import { type ServesOne, sharing } from "./sharing.ts";
import { type Uncounted, uncounted } from "./uncounted.ts";

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
  /** Which of these goes on no more and was not counted yet: each is so once, for whoever asks first. */
  takeUncounted: Uncounted["take"];
  noteCounted: Uncounted["noteCounted"];
}
export interface OwnershipParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly now: () => number;
}

/** What is asked of the records, for requests and for answers. */
export interface OwnerLookups {
  readonly owners: Owners;
  readonly servesOne: ServesOne;
  askingOf(caller: Caller, to: Try["to"]): OwnerQuestion;
  /** May the caller see what nobody recorded? */
  seesUnrecorded(asking: OwnerQuestion, to: Try["to"]): Promise<boolean>;
}

export function ownership(parts: OwnershipParts): Ownership {
  const lookups = lookupsOf(parts);
  const unfinished = uncounted(parts);
  const requests = new RequestIds(lookups);
  const answers = new AnswerIds(lookups, unfinished);
  return {
    judge: (owned, caller, named) => requests.judge(owned, caller, named),
    judgeModel: (caller, to) => requests.judgeModel(caller, to),
    settle: (owned, reply, it, next) => answers.settle(owned, reply, it, next),
    takeUncounted: unfinished.take,
    noteCounted: unfinished.noteCounted,
  };
}

function lookupsOf(parts: OwnershipParts): OwnerLookups {
  const ownerRecords = owners(parts);
  const servesOne = sharing(parts);
  return {
    owners: ownerRecords,
    servesOne,
    askingOf: (caller, to) => ({ tenant: caller, mark: markOf(to, parts.vault) }),
    seesUnrecorded: async (asking, to) => (await servesOne(to)) && !(await ownerRecords.othersForgot(asking)),
  };
}
