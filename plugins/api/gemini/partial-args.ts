import type { Json } from "#contract";

/** Has no prototype, so that no path can reach one. */
export type Args = Record<string | number, unknown>;
export const emptyArgs = (): Args => Object.create(null) as Args; // Object.create has no better type

/** Writes one piece into the arguments, at its place; text at a place that has text already continues it. */
export function addPiece(args: Args, { jsonPath, stringValue, numberValue, boolValue }: Json): void {
  const path = stepsOf(String(jsonPath));
  const last = path.at(-1);
  if (last === undefined) return;
  let holder = args;
  for (const [depth, step] of path.slice(0, -1).entries()) holder = below(holder, step, typeof path[depth + 1] === "number");
  refuseGap(holder, last);
  const before = holder[last];
  holder[last] =
    typeof before === "string" && typeof stringValue === "string"
      ? before + stringValue
      : (stringValue ?? numberValue ?? boolValue ?? null);
}

function below(holder: Args, step: string | number, isList: boolean): Args {
  refuseGap(holder, step);
  const there = holder[step];
  if (typeof there === "object" && there !== null) return there as Args; // made here, so it holds what it is given
  const fresh = isList ? ([] as unknown as Args) : emptyArgs(); // a list holds by numbers
  holder[step] = fresh;
  return fresh;
}
/** Lists grow one by one; a far index would make a list of nothing but holes. */
function refuseGap(holder: Args, step: string | number): void {
  if (!Array.isArray(holder) || (typeof step === "number" && step <= holder.length)) return;
  throw new SyntaxError("a streamed argument has no place in its list");
}

/** Deeper than any function's arguments: each step is an object that holds the next. */
const MAX_STEPS = 64;
/** `$.recipe.steps[1]` or `$['recipe']` -> its steps. What is quoted holds no quotes: looking for its end must not go on for ever. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, , quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(['"])([^'"]*)\3\]/g)) {
    if (steps.length === MAX_STEPS) throw new SyntaxError(`a streamed argument stands deeper than ${MAX_STEPS} levels`);
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  return steps;
}
