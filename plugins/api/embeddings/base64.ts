import { isJson, type Json, nextTurn } from "#contract";

/** Numbers that are written before others have their turn. */
const PER_TURN = 200_000;

/**
 * The vectors of an answer in base64, where the request asks for that and its provider gave lists of numbers: clients
 * that ask for base64 read nothing else. OpenAI's own form: 32-bit floats, the lowest byte first.
 */
export async function inBase64(answer: Json): Promise<Json> {
  const { data } = answer;
  if (!Array.isArray(data)) return answer;
  const entries: unknown[] = [];
  let numbers = 0;
  for (const entry of data) {
    const vector = isJson(entry) ? vectorOf(entry["embedding"]) : undefined;
    entries.push(isJson(entry) && vector ? { ...entry, embedding: written(vector) } : entry);
    numbers += vector?.length ?? 0;
    if (numbers < PER_TURN) continue;
    numbers = 0;
    await nextTurn();
  }
  return { ...answer, data: entries };
}

/** A list of numbers; vectors of other kinds (several of one input, sparse ones) stay what they are. */
const vectorOf = (value: unknown): readonly number[] | undefined =>
  Array.isArray(value) && typeof value[0] === "number" ? value : undefined;

function written(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4);
  return bytes.toString("base64");
}

export const asksBase64 = ({ encoding_format }: Json): boolean => encoding_format === "base64";
/** Are there vectors that are lists of numbers? The first tells for all. */
export const holdsLists = ({ data }: Json): boolean =>
  Array.isArray(data) && isJson(data[0]) && vectorOf(data[0]["embedding"]) !== undefined;
