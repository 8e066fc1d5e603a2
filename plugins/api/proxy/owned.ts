import type { Json, OwnedIds } from "#contract";

/*
 * Nobody knows which of the words in a path, a query or a body is an id, nor what an API of tomorrow makes. What was made
 * through the gateway is recorded, and another workspace's is not there, wherever a request names it. Of what nobody
 * recorded, only what looks like no word may be somebody else's.
 */

/** Longer than any provider's id. */
const LONGEST = 1_024;
/** So many are more than a request may name. */
const TOO_MANY = 1_001;
/** Shorter ones are words. */
const SHORTEST_RANDOM = 16;

/** Sixteen letters and digits on end, both among them, or a UUID: no word, no name of a model and no date. A colon has a verb behind it. */
function looksLikeId(text: string): boolean {
  if (text.length < SHORTEST_RANDOM || text.includes(":")) return false;
  if (UUID.test(text)) return true;
  return (text.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** Steps may hold ids, and a verb behind one; so may values of the query. */
function inPath(path: string, search: string): readonly string[] {
  const steps = path.split("/").filter(Boolean).map(decoded);
  return [...steps, ...steps.flatMap(withoutVerb), ...new URLSearchParams(search).values()].filter(mayBeId);
}
const withoutVerb = (step: string): readonly string[] => (step.includes(":") ? [step.slice(0, step.lastIndexOf(":"))] : []);
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a percent sign of its own
  }
}
const mayBeId = (text: string): boolean => text !== "" && text.length <= LONGEST && !/\s/.test(text);

/** Texts of members that are called after an id, and others that look like one. */
function inBody(body: Json): readonly string[] {
  const search = new IdSearch();
  search.see(body, false);
  while (search.left.length > 0 && search.found.size < TOO_MANY) search.next();
  return [...search.found];
}

/** Walks a body that may be long and deep: most of its values are words and numbers, and cost one look. */
class IdSearch {
  readonly found = new Set<string>();
  /** Lists and objects that are still to be looked into. */
  readonly left: { readonly holder: object; readonly isCalled: boolean }[] = [];

  see(value: unknown, isCalled: boolean): void {
    if (typeof value === "string") {
      if ((isCalled || (value.length >= SHORTEST_RANDOM && looksLikeId(value))) && mayBeId(value)) this.found.add(value);
    } else if (typeof value === "object" && value !== null) this.left.push({ holder: value, isCalled });
  }
  next(): void {
    const { holder, isCalled } = this.left.pop() ?? NOTHING;
    if (Array.isArray(holder)) for (const value of holder) this.see(value, isCalled);
    else for (const [name, value] of Object.entries(holder)) this.see(value, isCalledId(name));
  }
}
const NOTHING = { holder: [], isCalled: false };
const isCalledId = (name: string): boolean => name === "id" || name === "ids" || CALLED.some((end) => name.endsWith(end));
const CALLED = ["_id", "_ids", "Id", "Ids"];

const named: OwnedIds = { path: inPath, named: inBody, looksLikeId };
const made = ({ id }: Json): readonly string[] => (typeof id === "string" && id !== "" ? [id] : []);

/** What a request that passes names, and what its answer makes or lists. */
export const ownedBy = (method: string): OwnedIds =>
  method === "GET" || method === "HEAD" ? { ...named, lists: true } : method === "DELETE" ? named : { ...named, made };
