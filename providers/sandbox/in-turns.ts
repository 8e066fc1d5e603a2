import { isJson, nextTurn } from "#contract";

/** Entries that are worked on before others have their turn. */
const PER_TURN = 16;

/** What is made of each entry of a list. */
export async function inTurns<T, Made>(entries: readonly T[], make: (entry: T, index: number) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % PER_TURN === PER_TURN - 1) await nextTurn();
    made.push(make(entry, index));
  }
  return made;
}

/** An entry as a text: tokens and images are told apart by what is written of them. */
export const entryText = (entry: unknown): string =>
  typeof entry === "string" ? entry : isJson(entry) && typeof entry["text"] === "string" ? entry["text"] : JSON.stringify(entry);
