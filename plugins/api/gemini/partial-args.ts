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

/** `$.recipe.steps[1]` or `$['recipe']` -> its steps. */
const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(['"])(.*?)\3\]/g)].map(([, name, index, , quoted]) =>
    index === undefined ? (name ?? quoted ?? "") : Number(index),
  );
