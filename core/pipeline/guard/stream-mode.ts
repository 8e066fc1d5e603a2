import type { Subject } from "./subject.ts";
import type { ActiveGuardrail, BoundCheck } from "../plan/guardrails/active.ts";

/** How a check judges a streamed answer; the strictest of a request decides for all. */
export type How = "final" | "window" | "end";

/** The strictest way among the checks of a guardrail. What runs beside the request is judged at the end. */
export function howOn(guardrail: ActiveGuardrail, subject: Subject): How {
  if (guardrail.async) return "end";
  const ways = guardrail.checks.filter((check) => subject.suits(check)).map((check) => howOf(check, guardrail));
  return (["final", "window"] as const).find((way) => ways.includes(way)) ?? "end";
}

/** How one check does. */
export function howOf({ loaded, wants, failOnError }: BoundCheck, { deny }: ActiveGuardrail): How {
  if (loaded === null) return "final";
  const { on, stream = "final", transforms } = loaded.check;
  if (!on.includes("output")) return deny && failOnError ? "final" : "end"; // it can only answer that it does not run here
  if (stream === "none") return "end"; // with deny or transforms such a request was refused
  if (stream === "final" || transforms) return "final";
  return [...wants].every((kind) => kind === "text" || kind === "reasoning") ? "window" : "final"; // tool calls are judged whole
}
