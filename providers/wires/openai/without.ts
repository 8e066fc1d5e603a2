import { isJson, type Json } from "#contract";
import type { RefusedMembers } from "./refused.ts";

/** What has to go from the objects of one place, and from those below it. */
interface Place {
  readonly members: Set<string>;
  readonly below: Map<string, Place>;
  /** What has to go besides from those whose `role` is this. */
  readonly ofRole: Map<string, Place>;
}
const place = (): Place => ({ members: new Set(), below: new Map(), ofRole: new Map() });

/** Leaves these members out of bodies, in one walk over what they name. A body without any comes back as the same object. */
export function without(refused: RefusedMembers): (body: Json) => Json {
  const root = place();
  for (const [path, members] of Object.entries(refused)) for (const member of members) placeAt(root, path).members.add(member);
  return (body) => cleanedObject(body, root);
}

function placeAt(root: Place, path: string): Place {
  if (path === "") return root;
  return path.split(".").reduce((at, step) => {
    const [, name = step, role] = /^(\w+)\[(\w+)\]$/.exec(step) ?? [];
    const below = made(at.below, name);
    return role === undefined ? below : made(below.ofRole, role);
  }, root);
}
function made(places: Map<string, Place>, name: string): Place {
  const fresh = places.get(name) ?? place();
  places.set(name, fresh);
  return fresh;
}

function cleaned(value: unknown, at: Place): unknown {
  if (Array.isArray(value)) return cleanedList(value, at);
  if (!isJson(value)) return value;
  const role = at.ofRole.get(String(value["role"]));
  const clean = cleanedObject(value, at);
  return role === undefined ? clean : cleanedObject(clean, role);
}

function cleanedList(list: readonly unknown[], at: Place): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const clean = cleaned(list[index], at);
    if (clean !== list[index]) (copy ??= [...list])[index] = clean;
  }
  return copy ?? list;
}

function cleanedObject(object: Json, { members, below }: Place): Json {
  let copy: Json | undefined;
  for (const name in object) {
    if (members.has(name)) delete (copy ??= { ...object })[name];
    const inner = below.get(name);
    if (inner === undefined) continue;
    const clean = cleaned(object[name], inner);
    if (clean !== object[name]) (copy ??= { ...object })[name] = clean;
  }
  return copy ?? object;
}
