import { pieceOf } from "../../compute/segments.ts";
import type { Answer, Work } from "../../compute/work.ts";
import type { Input } from "./input.ts";
import type { Subject } from "./subject.ts";
import type { BoundCheck } from "../plan/guardrails/active.ts";
import type { GuardDeps, GuardView } from "./types.ts";
import { type EngineVerdict, error } from "./verdict.ts";

/** An answer that comes from another process, which holds it to its time itself. */
export class Elsewhere {
  constructor(readonly verdict: Promise<EngineVerdict>) {}
}

/** Asks a check in another process. */
export async function judgedBy(check: BoundCheck, subject: Subject, input: Input, { compute }: GuardDeps): Promise<EngineVerdict> {
  const { loaded, params, timeoutMs } = check;
  if (loaded === null) return error("not_running", `The plugin that provides ${check.id} is not running.`);
  const { view } = subject.asked;
  const work: Work = {
    pack: loaded.source,
    check: loaded.check.id,
    ask: "run",
    params,
    side: input.side,
    text: input.text,
    ...(loaded.check.transforms && { pieces: input.segments.map(pieceOf) }),
    now: input.now,
    tenant: view.tenant,
    deadlineMs: timeoutMs,
    signal: subject.signal,
  };
  return verdictOf(await compute.elsewhere(work), check, view);
}

function verdictOf(answer: Answer, { id }: BoundCheck, view: GuardView): EngineVerdict {
  if (answer.kind === "failed") return error(answer.class, `${id} could not judge the text: ${answer.message}`);
  if (answer.kind !== "verdict") return error("crash", `${id} answered something that is not a verdict.`);
  const { verdict, dataText } = answer;
  return dataText === null ? verdict : ({ ...verdict, data: shownIn(view, dataText) } as EngineVerdict); // every kind of verdict may have data
}

/** Characters of data, as JSON, that all checks of a request show together of what came from elsewhere. */
const MAX_SHOWN_CHARS = 262_144;

/** To read it and to take secrets out of it is work of this thread. */
function shownIn({ spending }: GuardView, dataText: string): unknown {
  if (spending.shownChars + dataText.length > MAX_SHOWN_CHARS)
    return { omitted: `The checks of one request show ${MAX_SHOWN_CHARS} characters of data at most.` };
  spending.shownChars += dataText.length;
  return JSON.parse(dataText); // written by JSON.stringify
}
