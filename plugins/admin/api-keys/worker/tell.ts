import { ApiKeys, DAY_MS, isJson } from "#contract";
import type { ApiKey } from "../rotation.ts";
import { digestOf, type KeyNotice } from "./notice.ts";
import { type Due, eachDue, type Phase, type WorkerParts } from "./parts.ts";
import { peopleOf } from "./people.ts";

/*
 * Who cares for a key hears of its rotations: at least once, for what was told is written down after. Of all keys of a run a
 * person gets one mail of each kind, for people get few mails an hour; who has had too many is told later, the others now.
 */

/** That there is a new secret: until everybody has heard, however long the one before works. */
export const tellOfRotated: Phase = (parts) => tellOf("key_rotated", { by: "untold_since", until: parts.now() }, parts, () => true);

/** A day before it ends, that the secret before does. */
export const tellOfTransitions: Phase = (parts) =>
  tellOf(
    "key_transition_soon",
    { by: "key_transition_expires_at", until: parts.now() + DAY_MS },
    parts,
    ({ rotated_at }, ends) => ends > parts.now() && (rotated_at ?? ends) < ends - DAY_MS,
  );

/** A day before a key is rotated by its schedule; of keys that are rotated daily that would be always. */
export const tellOfRotations: Phase = (parts) =>
  tellOf(
    "key_rotation_soon",
    { by: "next_rotation_at", until: parts.now() + DAY_MS },
    parts,
    ({ rotated_at, created_at }, next) => next > parts.now() && (rotated_at ?? created_at) < next - DAY_MS,
  );

/** Keys that are told of together: more are not held in memory. */
const TOGETHER = 1_000;

async function tellOf(
  kind: KeyNotice["kind"],
  due: Due,
  parts: WorkerParts,
  concerns: (key: ApiKey, at: number) => boolean,
): Promise<void> {
  const careFor = peopleOf(parts.records);
  let notices: KeyNotice[] = [];
  await eachDue(due, parts, async (key, at) => {
    const left = concerns(key, at) ? leftIn(key, kind, at) : [];
    if (left?.length === 0) return false;
    notices.push({ kind, key, at, to: left ?? (await careFor(key)) });
    if (notices.length >= TOGETHER) await tellAll(notices, parts).finally(() => (notices = []));
    return false;
  });
  await tellAll(notices, parts);
}

/** Who has not heard; `undefined`: nobody has. */
function leftIn({ told }: ApiKey, kind: KeyNotice["kind"], at: number): readonly string[] | undefined {
  const before = told?.[kind];
  return isJson(before) && before["at"] === at ? (before["left"] as readonly string[]) : undefined; // written by `remember` alone
}

async function tellAll(notices: readonly KeyNotice[], parts: WorkerParts): Promise<void> {
  const unheard = new Map(notices.map((notice) => [notice, new Set<string>()]));
  for (const [to, those] of byPerson(notices)) {
    if (!(await isTold(those, to, parts))) for (const notice of those) unheard.get(notice)?.add(to);
  }
  for (const [notice, left] of unheard) await remember(notice, [...left], parts);
}

type Some = [KeyNotice, ...KeyNotice[]];
/** People of one organisation are not told of another's keys: an address may be of both. */
function byPerson(notices: readonly KeyNotice[]): readonly (readonly [to: string, those: Some])[] {
  const people = new Map<string, readonly [string, Some]>();
  for (const notice of notices) {
    for (const to of notice.to) {
      const name = `${notice.key.organisation_id} ${to}`;
      const [, those] = people.get(name) ?? [];
      if (those) those.push(notice);
      else people.set(name, [to, [notice]]);
    }
  }
  return [...people.values()];
}

/** What fails for one person is tried again by the next run, and keeps nobody else from hearing. */
const isTold = (those: Some, to: string, { tell, log }: WorkerParts): Promise<boolean> =>
  tell(digestOf(those, to)).catch((thrown: unknown) => {
    log("warn", "api-key.untold", { keys: those.map(({ key }) => key.id), why: thrown });
    return false;
  });

/** Written where something was told, and nobody has written the key meanwhile. */
async function remember({ kind, key, at, to }: KeyNotice, left: readonly string[], { records }: WorkerParts): Promise<void> {
  if (left.length === to.length && to.length > 0) return;
  const isOver = kind === "key_rotated" && left.length === 0;
  const change = { told: { ...key.told, [kind]: { at, left } }, ...(isOver && { untold_since: null }) };
  await records.in(ApiKeys).update(key.id, change, { last_updated_at: key.last_updated_at });
}
