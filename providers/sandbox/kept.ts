import { type Json, nextTurn } from "#contract";
import { Refusal } from "./refusal.ts";

/** Things that are kept, and characters of them all; the oldest go first. */
const MAX_THINGS = 2_000;
const MAX_CHARS = 16_000_000;
/** Characters of one thing. */
const MAX_OF_ONE = 1_000_000;

interface Entry {
  readonly thing: Json;
  readonly chars: number;
}

/** What clients made here, until the process ends or newer things take its place. Ids cannot be guessed: one sandbox serves all workspaces. */
export class Kept {
  private readonly entries = new Map<string, Entry>();
  private chars = 0;

  /** Keeps a thing under this key, in the place of what was there. */
  put(key: string, thing: Json): Json {
    const before = this.entries.get(key);
    const chars = charsOf(thing);
    this.chars += chars - (before?.chars ?? 0);
    this.entries.set(key, { thing, chars });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= MAX_THINGS && this.chars <= MAX_CHARS) break;
      this.drop(oldest);
    }
    return thing;
  }
  get(key: string): Json | undefined {
    return this.entries.get(key)?.thing;
  }
  drop(key: string): void {
    this.chars -= this.entries.get(key)?.chars ?? 0;
    this.entries.delete(key);
  }
  /** Things of this kind, the oldest first. */
  async all(object: string, where: (thing: Json) => boolean = () => true): Promise<readonly Json[]> {
    await nextTurn(); // a page may look at all of them
    return [...this.entries.values()].map(({ thing }) => thing).filter((thing) => thing["object"] === object && where(thing));
  }
}

/** Characters of the texts in a thing, and a few for each value. */
function charsOf(thing: Json): number {
  const left: unknown[] = [thing];
  let chars = 0;
  while (left.length > 0) {
    const value = left.pop();
    chars += typeof value === "string" ? value.length : PER_VALUE;
    if (typeof value === "object" && value !== null) for (const inside of Object.values(value)) left.push(inside);
    if (chars > MAX_OF_ONE) throw new Refusal(400, { message: `The sandbox keeps things of up to ${MAX_OF_ONE} characters.` });
  }
  return chars;
}
const PER_VALUE = 8;

export const newId = (prefix: string): string => prefix + crypto.randomUUID().replaceAll("-", "").slice(0, 24);

/** The id at this step of a path: 1 in `/threads/:thread_id`, 3 in `/threads/:thread_id/runs/:run_id`. */
export const idAt = (path: string, step: number): string => decodeURIComponent(path.split("/")[step + 1] ?? "");

/** Of these members, those that the body has. */
export const pick = (body: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
