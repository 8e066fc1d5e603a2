import { isJson, type Verdict } from "#contract";
import { MAX_DATA_CHARS, MAX_VERDICT_CHARS } from "./work.ts";

/** A verdict as it leaves a process: its data as JSON apart, and shortened; `null` where the rest is too long. */
export function boundedVerdict(verdict: unknown): { readonly verdict: Verdict; readonly dataText: string | null } | null {
  const { data, ...bare } = isJson(verdict) ? verdict : { verdict };
  if (JSON.stringify(bare).length > MAX_VERDICT_CHARS) return null;
  return { verdict: bare as Verdict, dataText: data === undefined ? null : shortened(data) }; // whatever it is, the engine judges it again
}
export const tooLong = `its answer has more than ${MAX_VERDICT_CHARS} characters`;

function shortened(data: unknown): string {
  const text = JSON.stringify(data) ?? "null";
  if (text.length <= MAX_DATA_CHARS) return text;
  const explanation = isJson(data) && typeof data["explanation"] === "string" ? data["explanation"].slice(0, 1_000) : null;
  return JSON.stringify({ explanation, omitted: `The data has ${text.length} characters; at most ${MAX_DATA_CHARS} are shown.` });
}
