import { type Caller, type EndedWork, type Json, outputTokens, type Usage } from "#contract";
import type { Reply } from "../call/reply.ts";
import type { Resolved } from "../plan/targets.ts";
import type { CostOf } from "./cost.ts";
import type { EstimateUsage } from "./estimate.ts";
import type { Ended } from "./make-outcome.ts";
import { remainder, sum } from "./sum.ts";
import { costFor, isComplete, modelOf, reportedIn, usageReceived } from "./used.ts";

/* What goes on behind the answer that began it (a run, a response in the background) is counted at the first answer that tells its usage. */

/** What a request used, as far as it is counted with this one. */
export interface Counted {
  readonly usage: Usage | null;
  readonly costCents: number | null;
  readonly model: string | null;
}
interface Asker {
  readonly caller: Caller;
  readonly to: Resolved;
}
export interface OwnedWork {
  /** Which of these nobody has counted to the end yet, and what was counted of each; each is taken once. */
  takeUncounted(ids: readonly string[], asker: Asker): Promise<Map<string, Usage>>;
  /** It was taken, and its end is told later: so much of it is counted already. */
  noteCounted(id: string, counted: Usage, asker: Asker): Promise<void>;
}
export interface CountingOnce {
  readonly costOf: CostOf;
  readonly estimate: EstimateUsage;
  readonly owned: OwnedWork;
}

/** What this answer tells of; `undefined` where an answer is counted as it is. */
export function endedWork(of: Ended): readonly EndedWork[] | undefined {
  const { reply, served } = of;
  const { ended } = served.call.row.content;
  if (reply.from === null || reply.from.served !== null) return undefined;
  if (ended === undefined && !reply.begun?.length) return undefined;
  const body = bodyOf(reply);
  const inBody = ended && body ? ended.in(body) : NOTHING;
  return inBody.length > 0 ? inBody : inStream(of);
}
/** The whole answer of the provider, also where its client is given a denial in its place. */
function bodyOf({ content, denied, status }: Reply): Json | null {
  if (denied) return typeof denied.received === "string" ? null : denied.received.body;
  return content.kind === "whole" && status < 300 ? content.body : null;
}
const NOTHING: readonly EndedWork[] = [];

/** The end of a stream says what the one used that its events are of; so does an answer that was denied its client. */
function inStream(of: Ended): readonly EndedWork[] {
  const { reply, served } = of;
  const { params, row } = served.call;
  const id = reply.begun?.[0] ?? params[row.content.ended?.param ?? ""];
  const usage = reportedIn(of);
  return id === undefined || usage === null || !isComplete(of) ? NOTHING : [{ id, usage, model: modelOf(of) }];
}

/** What was received of a stream that its work's end is not told in: it is paid for, whether anybody asks for the end or not. */
async function partReceived(of: Ended, estimate: EstimateUsage): Promise<EndedWork | undefined> {
  const [id] = of.ending.streamed || of.reply.denied ? (of.reply.begun ?? []) : [];
  const usage = id === undefined ? null : await usageReceived(of, estimate);
  return id !== undefined && usage && outputTokens(usage) > 0 ? { id, usage, model: modelOf(of) } : undefined;
}

/** Those that nobody counted before, together. */
export async function countedOnce(ended: readonly EndedWork[], of: Ended, { owned, costOf, estimate }: CountingOnce): Promise<Counted> {
  const { reply, served } = of;
  const { caller } = served;
  const part = ended.length === 0 ? await partReceived(of, estimate) : undefined;
  const work = part ? [part] : ended;
  if (work.length === 0 || caller === null || reply.from === null) return nothingYet(of);
  const asker = { caller, to: reply.from };
  const taken = await owned.takeUncounted(
    work.map(({ id }) => id),
    asker,
  );
  let counted = nothingYet(of);
  for (const { id, usage: all, model } of work) {
    const before = taken.get(id);
    if (before === undefined || !taken.delete(id)) continue; // a page may say it twice
    if (part) await owned.noteCounted(id, all, asker);
    const usage = remainder(all, before);
    const cost = await costFor({ reply, served, usage, costOf }, model);
    counted = together(counted, { usage, model, costCents: cost });
  }
  return counted;
}
/** What began has used nothing until its end is told; a poll that tells none uses nothing. */
const nothingYet = ({ reply, ending }: Ended): Counted =>
  reply.begun?.length
    ? { usage: { input: 0, output: 0 }, costCents: 0, model: modelOf({ reply, ending }) }
    : { usage: null, costCents: null, model: modelOf({ reply, ending }) };

export function together(before: Counted, more: Counted): Counted {
  const cents = before.costCents;
  return {
    usage: more.usage ? sum(before.usage, more.usage) : before.usage,
    model: before.model ?? more.model,
    costCents: more.costCents === null ? cents : (cents ?? 0) + more.costCents,
  };
}
