import { isJson } from "#contract";
import { below, type Found, type Place } from "./found.ts";

/** Beyond so many texts they are one, so that nobody is shown a million pieces. */
const MAX_TEXTS = 1_000;

/** Where a text stands, and what it says. */
interface Leaf {
  readonly path: string;
  readonly text: string;
}
/** Is a member left out, by its name? */
type LeftOut = (name: string) => boolean;
const NONE: LeftOut = () => false;

/** Every text in a value whose form nobody knows: a model may read any of them. */
export function readLeaves(value: unknown, { path, role, message, result }: Place, found: Found, leftOut = NONE): void {
  const leaves = leavesOf(value, path, leftOut);
  const kind = result ? "tool_result" : "text";
  if (leaves.length <= MAX_TEXTS) for (const leaf of leaves) found.push({ ...leaf, role, message, kind });
  else found.push({ path, text: leaves.map(({ text }) => text).join("\n"), role, message, kind });
}

function leavesOf(value: unknown, path: string, leftOut: LeftOut): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const waiting: { readonly value: unknown; readonly path: string }[] = [{ value, path }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value === "string") leaves.push({ path: next.path, text: next.value });
    else waiting.push(...within(next.value, next.path, leftOut).reverse());
  }
  return leaves;
}

/** What stands directly in a list or an object, numbers and the like apart. */
function within(value: unknown, path: string, leftOut: LeftOut): { readonly value: unknown; readonly path: string }[] {
  const inside: { readonly value: unknown; readonly path: string }[] = [];
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (says(value[at])) inside.push({ value: value[at], path: `${path}[${at}]` });
  } else if (isJson(value)) {
    for (const [name, member] of Object.entries(value))
      if (says(member) && !leftOut(name)) inside.push({ value: member, path: below(path, name) });
  }
  return inside;
}
const says = (value: unknown): boolean => typeof value === "string" || (typeof value === "object" && value !== null);
