import { isJson } from "#contract";
import { below, type Found, type Place, put } from "./found.ts";

/** Beyond so many texts they are one, so that nobody is shown a million pieces. */
const MAX_TEXTS = 1_000;

/** Is a member left out, by its name and what it is? */
type LeftOut = (name: string, value: unknown) => boolean;
const NONE: LeftOut = () => false;

/** Members whose own members have names of the client's choosing, which a model reads as well: properties of a schema. */
type Named = ReadonlySet<string>;
const NO_NAMES: Named = new Set();

/** Every text in a value whose form nobody knows: a model may read any of them. */
export function readLeaves(value: unknown, { path, role, message, result }: Place, found: Found, leftOut = NONE, named = NO_NAMES): void {
  const kind = result ? "tool_result" : "text";
  if (typeof value === "string") return put(found, { path, text: value, role, message, kind });
  const { texts, paths } = leavesOf(value, path, leftOut, named);
  if (texts.length > MAX_TEXTS) return put(found, { path, text: texts.join("\n"), role, message, kind });
  paths.forEach((leaf, at) => put(found, { path: leaf, text: texts[at] ?? "", role, message, kind }));
}

/** A list or an object that is being read. */
interface Level {
  readonly path: string;
  /** Of an object's members. */
  readonly names: readonly string[] | null;
  readonly values: readonly unknown[];
  next: number;
}
/** The texts in their order, and where they stand, as far as they are told apart. */
interface Leaves {
  readonly texts: string[];
  readonly paths: string[];
}
function leavesOf(value: unknown, path: string, leftOut: LeftOut, named: Named): Leaves {
  const leaves: Leaves = { texts: [], paths: [] };
  const levels = [levelOf(value, path, leftOut)];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const at = level.next++;
    const inside = level.values[at];
    if (at === level.values.length) levels.pop();
    else if (typeof inside === "string") addLeaf(inside, level, at, leaves);
    else if (typeof inside === "object" && inside !== null) {
      const below = levelOf(inside, pathOf(level, at), leftOut);
      if (below.names && named.has(level.names?.[at] ?? "")) below.names.forEach((name, member) => addLeaf(name, below, member, leaves));
      levels.push(below);
    }
  }
  return leaves;
}
function addLeaf(text: string, level: Level, at: number, { texts, paths }: Leaves): void {
  if (texts.push(text) <= MAX_TEXTS) paths.push(pathOf(level, at));
}
function levelOf(value: unknown, path: string, leftOut: LeftOut): Level {
  if (Array.isArray(value)) return { path, names: null, values: value, next: 0 };
  const names = isJson(value) ? Object.keys(value).filter((name) => !leftOut(name, value[name])) : [];
  return { path, names, values: isJson(value) ? names.map((name) => value[name]) : [], next: 0 };
}
const pathOf = ({ path, names }: Level, at: number): string => (names ? below(path, names[at] ?? "") : `${path}[${at}]`);
