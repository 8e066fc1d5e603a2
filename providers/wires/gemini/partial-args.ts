import { GatewayError } from "#contract";

/** One piece of a function call's arguments: where it belongs, and its value or the next part of its text. */
export interface PartialArg {
  readonly jsonPath: string;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly nullValue?: unknown;
}
/** Has no prototype, so that no path can reach one. */
type Holder = Record<string | number, unknown>;
export const emptyArgs = (): Holder => Object.create(null) as Holder; // Object.create has no better type

/** Writes one piece of this provider's into the arguments; text at a place that has text already continues it. */
export function addPiece(args: Holder, piece: PartialArg, provider: string): void {
  const path = pathOf(piece.jsonPath);
  const last = path.at(-1);
  if (last === undefined) return;
  const holder = path.slice(0, -1).reduce((at, key, depth) => child(at, key, typeof path[depth + 1] === "number", provider), args);
  guard(holder, last, provider);
  const before = holder[last];
  holder[last] = typeof before === "string" && piece.stringValue !== undefined ? before + piece.stringValue : leafOf(piece);
}
const leafOf = ({ stringValue, numberValue, boolValue }: PartialArg): unknown => stringValue ?? numberValue ?? boolValue ?? null;

function child(at: Holder, key: string | number, isList: boolean, provider: string): Holder {
  guard(at, key, provider);
  const existing = at[key];
  if (typeof existing === "object" && existing !== null) return existing as Holder; // made here, so a holder
  const fresh = isList ? ([] as unknown as Holder) : emptyArgs(); // a list is a holder with numbers for keys
  at[key] = fresh;
  return fresh;
}
/** Lists grow one by one; a far index would make a list of nothing but holes. */
function guard(at: Holder, key: string | number, provider: string): void {
  if (!Array.isArray(at) || (typeof key === "number" && key <= at.length)) return;
  throw new GatewayError("UPSTREAM_INVALID", { provider, why: "a streamed argument has no place in its list" });
}

const STEP = /\.(?<name>[^.[\]]+)|\[(?<index>\d+)\]|\[(?<quote>['"])(?<quoted>.*?)\k<quote>\]/g;
/** `$.recipe.steps[1]` or `$['recipe']` -> its keys. */
const pathOf = (jsonPath: string): (string | number)[] => [...jsonPath.matchAll(STEP)].map(({ groups }) => keyOf(groups));
const keyOf = ({ name, index, quoted }: Record<string, string | undefined> = {}): string | number =>
  index === undefined ? (name ?? quoted ?? "") : Number(index);
