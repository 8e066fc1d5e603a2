import { type Json, nextTurn } from "#contract";
import { decoded, idInAddress, idInName, inCollections, looksLikeId, mayBeId, withoutVerb } from "../content/kept-names.ts";

/** More than a request may name. */
const TOO_MANY = 1_001;
/** Values that are looked at before others have their turn. */
const PER_TURN = 10_000;

/** Steps may hold ids, and a verb behind one; so may values of the query, and lists in them. */
export function inPath(path: string, search: string): readonly string[] {
  const steps = path.split("/").filter(Boolean).map(decoded);
  const inQuery = [...new URLSearchParams(search).values()].flatMap((value) => value.split(",")).map(idInName);
  const verbless = steps.filter((step) => step.includes(":")).map(withoutVerb);
  return [...steps, ...verbless, ...inCollections(steps), ...inQuery].filter(mayBeId);
}
/** Texts of members that are called after an id, and others that look like one. A body may be long: it is looked through in turns. */
export async function inBody(body: Json): Promise<readonly string[]> {
  const search = new IdSearch();
  search.see(body, "");
  await search.run();
  return [...search.found];
}

class IdSearch {
  readonly found = new Set<string>();
  /** Lists and objects that are still to be looked into, and what they are called. */
  private readonly left: { readonly holder: object; readonly called: string }[] = [];
  private looks = 0;

  see(value: unknown, called: string): void {
    if (typeof value === "string") this.seeText(value, called);
    else if (typeof value === "object" && value !== null) this.left.push({ holder: value, called });
  }
  async run(): Promise<void> {
    for (let next = this.left.pop(); next && this.found.size < TOO_MANY; next = this.left.pop()) {
      const { holder, called } = next;
      const names = Array.isArray(holder) ? null : Object.keys(holder);
      const count = names?.length ?? (holder as readonly unknown[]).length; // a list where it has no names
      for (let at = 0; at < count; at += 1) {
        const name = names?.[at] ?? at;
        this.see((holder as Readonly<Record<string | number, unknown>>)[name], names ? String(name) : called);
        this.looks += 1;
        if (this.looks % PER_TURN === 0) await nextTurn();
      }
    }
  }
  private seeText(text: string, called: string): void {
    if (!mayBeId(text)) return;
    const id = idInText(text);
    if (isCalledId(called) || looksLikeId(id)) this.found.add(id);
  }
}
const idInText = (text: string): string => idInAddress(text) ?? (text.includes("://") ? text : idInName(text));
export const isCalledId = (name: string): boolean => name === "id" || name === "ids" || CALLED.some((end) => name.endsWith(end));
const CALLED = ["_id", "_ids", "Id", "Ids"];
