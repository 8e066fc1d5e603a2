import { isJson, type Json } from "#contract";
import type { RefusedMembers } from "./refused.ts";

/** What becomes of a member that is named: it goes, or what is in it is looked at. */
type Fate = "goes" | Place;
/** The objects of one place. Every request comes by here: a member costs one look-up. */
interface Place {
  readonly members: Map<string, Fate>;
  /** What becomes besides of members of those whose `role` is this. */
  readonly ofRole: Map<unknown, Place>;
}
const place = (): Place => ({ members: new Map(), ofRole: new Map() });

/** Leaves these members out of bodies, in one walk over what they name. A body without any comes back as the same object. */
export function without(refused: RefusedMembers): (body: Json) => Json {
  const root = place();
  for (const [path, members] of Object.entries(refused)) for (const member of members) placeAt(root, path).members.set(member, "goes");
  return (body) => cleanedObject(body, root);
}

function placeAt(root: Place, path: string): Place {
  if (path === "") return root;
  return path.split(".").reduce((at, step) => {
    const [, name = step, role] = /^(\w+)\[(\w+)\]$/.exec(step) ?? [];
    const inner = at.members.get(name);
    const below = inner === undefined || inner === "goes" ? place() : inner;
    at.members.set(name, below);
    return role === undefined ? below : placeOfRole(below, role);
  }, root);
}
function placeOfRole({ ofRole }: Place, role: string): Place {
  const own = ofRole.get(role) ?? place();
  ofRole.set(role, own);
  return own;
}

function cleaned(value: unknown, at: Place): unknown {
  if (Array.isArray(value)) return cleanedList(value, at);
  if (!isJson(value)) return value;
  const role = at.ofRole.size === 0 ? undefined : at.ofRole.get(value["role"]);
  const clean = cleanedObject(value, at);
  return role === undefined ? clean : cleanedObject(clean, role);
}

function cleanedList(list: readonly unknown[], at: Place): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const clean = cleaned(item, at);
    if (clean !== item) (copy ??= [...list])[index] = clean;
  }
  return copy ?? list;
}

function cleanedObject(object: Json, { members }: Place): Json {
  let copy: Json | undefined;
  for (const name in object) {
    const fate = members.get(name);
    if (fate === undefined) continue;
    if (fate === "goes") {
      delete (copy ??= { ...object })[name];
      continue;
    }
    const value = object[name];
    if (typeof value !== "object") continue; // text, most often
    const clean = cleaned(value, fate);
    if (clean !== value) (copy ??= { ...object })[name] = clean;
  }
  return copy ?? object;
}
