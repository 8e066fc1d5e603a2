import type { CheckInput, Patch, Segment, Verdict } from "#contract";
import type { Category } from "./entity.ts";
import { Account, line, MOST_OF_REQUEST_MS } from "./line.ts";
import { Placeholders } from "./placeholders.ts";
import { countOf, MOST_VALUES, type Searched } from "./search.ts";
import { sharedSearch } from "./shared.ts";

export interface PiiParams {
  readonly categories: readonly Category[];
  readonly redact: boolean;
  readonly not: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Of its time: behind it the engine would call it a silence, which a guardrail may let pass. */
const LAST_TURN = 0.8;

/** By the segments that a request shows its checks. */
const accounts = new WeakMap<readonly Segment[], Account>();
function accountOf(segments: readonly Segment[]): Account {
  const account = accounts.get(segments) ?? new Account();
  accounts.set(segments, account);
  return account;
}

/** Looks through every text on the spot when that is quickly done and nobody waits, else in turns, so that nobody else waits for it. */
export function judgePii(input: CheckInput<PiiParams>): Verdict | Promise<Verdict> {
  const startedAt = performance.now();
  const account = accountOf(input.segments);
  const work = judged(input);
  const done = line.hasRoomAtOnce() ? line.turnOf(work, account) : undefined;
  return done?.result ?? inTurns(work, input, account, startedAt);
}

async function inTurns(
  work: Generator<undefined, Verdict>,
  { params, signal }: CheckInput<PiiParams>,
  account: Account,
  startedAt: number,
): Promise<Verdict> {
  while (performance.now() - startedAt < params.timeout * LAST_TURN) {
    await line.wait(account);
    signal.throwIfAborted();
    if (account.spentMs > Math.max(MOST_OF_REQUEST_MS, params.timeout)) break;
    const done = line.turnOf(work, account);
    if (done) return done.result;
  }
  return tooLong(params.timeout);
}
const tooLong = (ms: number): Verdict => ({
  verdict: "error",
  class: "budget",
  message: `The texts are too long to be looked through within ${ms} ms.`,
});

function* judged({ params, side, segments }: CheckInput<PiiParams>): Generator<undefined, Verdict> {
  const searched = yield* sharedSearch(segments, params.categories);
  const holding = searched.filter(({ entities }) => entities.some((found) => found.length > 0));
  if (!params.redact || holding.length === 0) return decided(holding, params);
  if (countOf(holding) > MOST_VALUES)
    return denied(`There are more than ${MOST_VALUES} values, and so many are not replaced.`, holding, params);
  const placeholders = new Placeholders();
  if (side === "output") for (const { piece } of searched) for (const { text } of piece.list) yield* placeholders.leaveOut(text);
  const patches: Patch[] = [];
  for (const each of holding) patches.push(yield* redacted(each, placeholders));
  return { verdict: "transform", patches, data: shown(true, "Personal data was replaced.", holding, params) };
}

function* redacted({ piece, entities }: Searched, placeholders: Placeholders): Generator<undefined, Patch> {
  const texts: string[] = [];
  for (const [at, { text }] of piece.list.entries()) texts.push(yield* placeholders.redacted(text, entities[at] ?? []));
  return piece.patch(texts);
}

function decided(holding: readonly Searched[], params: PiiParams): Verdict {
  const found = holding.length > 0 ? `Found ${categoriesOf(holding).join(", ")}.` : "No personal data of these categories was found.";
  if (holding.length > 0 !== params.not) return denied(found, holding, params);
  return { verdict: "allow", data: shown(true, found, holding, params) };
}
const denied = (reason: string, holding: readonly Searched[], params: PiiParams): Verdict => ({
  verdict: "deny",
  reason,
  data: shown(false, reason, holding, params),
});

/* ── what results show ───────────────────────────────────────────────────────────────────────────────────────── */

const MAX_SHOWN = 100;
/** Kinds and places: what was found is what nobody shall read in a log. */
function shown(verdict: boolean, explanation: string, holding: readonly Searched[], { categories, not }: PiiParams): object {
  return {
    verdict,
    not,
    explanation,
    detectedCategories: categoriesOf(holding),
    restrictedCategories: categories,
    entities: placesIn(holding),
  };
}
function placesIn(holding: readonly Searched[]): readonly object[] {
  const places: object[] = [];
  for (const { piece, entities } of holding)
    for (const inText of entities)
      for (const { category, start, end } of inText) {
        if (places.length === MAX_SHOWN) return places;
        places.push(piece.list.length === 1 ? { category, path: piece.path, start, end } : { category, path: piece.path });
      }
  return places;
}
function categoriesOf(holding: readonly Searched[]): readonly Category[] {
  const categories = new Set<Category>();
  for (const { entities } of holding) for (const inText of entities) for (const { category } of inText) categories.add(category);
  return [...categories];
}
