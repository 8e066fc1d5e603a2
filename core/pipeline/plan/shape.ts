import { isJson, type Json, type Leaf } from "#contract";

/**
 * Body shaping of one target: defaults where the client left a member out, overrides always, drops last. Returns the same object when there is nothing to do.
 */
export function shaped(body: Json, leaf: Pick<Leaf, "defaultParams" | "overrideParams" | "dropParams">): Json {
  if (!leaf.defaultParams && !leaf.overrideParams && leaf.dropParams.length === 0) return body;
  const merged = { ...leaf.defaultParams, ...body, ...leaf.overrideParams };
  return leaf.dropParams.reduce<Json>((result, path) => without(result, stepsOf(path)), merged);
}

type PathStep = string | number | "*";

/** `tools[*].function.strict` -> tools, *, function, strict */
const stepsOf = (path: string): readonly PathStep[] =>
  [...path.matchAll(/([^.[\]]+)|\[(\*|\d+)\]/g)].map(([, name, index]) => name ?? (index === "*" ? "*" : Number(index)));

/** A copy without the member at the path; unknown paths change nothing. Only what lies on the path is copied. */
function without<T>(value: T, [step, ...rest]: readonly PathStep[]): T {
  if (step === undefined) return value;
  if (Array.isArray(value)) return withoutItem(value, step, rest) as T; // an array stays an array of the same items
  if (!isJson(value) || typeof step !== "string" || !(step in value)) return value;
  const { [step]: member, ...others } = value;
  return (rest.length === 0 ? others : { ...value, [step]: without(member, rest) }) as T; // what was an object still is one
}

function withoutItem(items: readonly unknown[], step: PathStep, rest: readonly PathStep[]): readonly unknown[] {
  const hit = (index: number): boolean => step === "*" || step === index;
  return rest.length === 0
    ? items.filter((_, index) => !hit(index))
    : items.map((item, index) => (hit(index) ? without(item, rest) : item));
}
