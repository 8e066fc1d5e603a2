import { KINDS, type Logger } from "#contract";
import type { Building } from "./building.ts";
import type { Member } from "./member.ts";
import { type StepLimits, stepError, runStep } from "./steps.ts";
import { entering, markOf } from "./process/watchdog/marks.ts";

/** Drains and closes a generation's plugins: the kind set up last goes first; failed ones have something to close too. */
export async function end({ members, limits, input, records, storeHealth }: Building): Promise<void> {
  storeHealth?.close();
  for (const kind of [...KINDS].reverse()) {
    if (kind === "storage") await records?.close().catch(() => undefined); // the feed it listens to is about to close
    const leaving = members.filter((member) => member.candidate.manifest.kind === kind && isLast(member));
    await Promise.all(leaving.map((member) => endOne(member, limits, input.log.named(member.candidate.name))));
  }
}

/** Storage that another generation goes on using is left open. */
function isLast({ running, shared }: Member): boolean {
  if (!shared) return running !== undefined;
  shared.users -= 1;
  return shared.users === 0;
}

async function endOne({ candidate, running, error }: Member, limits: StepLimits, log: Logger): Promise<void> {
  const inTime = async (limitMs: number, step: () => Promise<void> | undefined): Promise<void> => {
    entering(markOf(candidate.name));
    try {
      await runStep(limitMs, step);
    } catch (thrown) {
      log("error", "plugin.drain", { code: "PLUGIN_DRAIN", why: stepError("PLUGIN_DRAIN", candidate, "drain", thrown).message });
    }
  };
  if (!error) await inTime(limits.drain, () => running?.drain?.(AbortSignal.timeout(limits.drain)));
  await inTime(limits.close, () => running?.close?.());
}
