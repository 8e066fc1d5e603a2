import type { Adapter, Json } from "#contract";
import { obeying } from "./answering.ts";
import { hash } from "./id.ts";
import { invalid, missing } from "./missing.ts";
import { tokens } from "./speech.ts";
import { wordsIn } from "./words.ts";
import { entryText, inTurns } from "./in-turns.ts";

const DIMENSIONS = 64;
const MAX_DIMENSIONS = 3072;

/** Embeddings: texts that share words have vectors that point the same way. */
export const embeddings = {
  embed: {
    answer: obeying(async (body) => {
      const texts = textsOf(body["input"]);
      const size = dimensionsOf(body["dimensions"]);
      const data = await inTurns(texts, (text, index): Json => {
        const embedding = inFormat(vectorOf(text, size), body["encoding_format"]);
        return { object: "embedding", index, embedding };
      });
      const count = tokens(texts);
      return {
        object: "list",
        data,
        model: String(body["model"] ?? "sandbox-embedding"),
        usage: { prompt_tokens: count, total_tokens: count },
      };
    }),
  },
} satisfies Record<string, Adapter>;

/** What is embedded, as texts: tokens and images are told apart by what is written of them. */
function textsOf(input: unknown): readonly string[] {
  if (input === undefined || input === null || input === "") throw missing("input");
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) throw invalid("input", "input must be a text, or a list that is not empty.");
  return typeof input[0] === "number" ? [JSON.stringify(input)] : input.map(entryText);
}

function dimensionsOf(dimensions: unknown): number {
  if (dimensions === undefined || dimensions === null) return DIMENSIONS;
  const size = Number(dimensions);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSIONS) return size;
  throw invalid("dimensions", `dimensions must be between 1 and ${MAX_DIMENSIONS}.`);
}

/** Each word adds to one place of the vector; its length is 1 in the end. */
function vectorOf(text: string, size: number): readonly number[] {
  const sums = new Array<number>(size).fill(0);
  for (const word of [...wordsIn(text), ""]) {
    const at = hash(word, SEED) % size;
    sums[at] = (sums[at] ?? 0) + 1;
  }
  const length = Math.hypot(...sums);
  return sums.map((sum) => Math.fround(sum / length));
}
const SEED = 0x811c9dc5;

const inFormat = (vector: readonly number[], format: unknown): unknown =>
  format === "base64" ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector;
