import type { Adapter, Json, OutgoingRequest } from "#contract";
import { answering } from "./answering.ts";
import { idOf } from "./id.ts";
import { missing } from "./missing.ts";
import { Refusal } from "./refusal.ts";

/** One transparent pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

interface Asked {
  readonly prompt: unknown;
  readonly n: unknown;
  readonly format: unknown;
}

/** Image generation and edits: `n` times the same pixel. */
export const images = (now: () => number) =>
  ({
    imageGenerate: {
      answer: answering((body) => result({ prompt: body["prompt"], n: body["n"], format: body["response_format"] }, now())),
    },
    imageEdit: {
      answer: answering(async (_body, _ask, _signal, request) => {
        const form = await formOf(request);
        if (!(form.get("image") instanceof Blob)) throw missing("image");
        judgeWord(form.get("size"), "size", SIZES);
        judgeWord(form.get("response_format"), "response_format", ["url", "b64_json"]);
        return result({ prompt: form.get("prompt"), n: form.get("n"), format: form.get("response_format") }, now());
      }),
    },
  }) satisfies Record<string, Adapter>;

const SIZES = ["256x256", "512x512", "1024x1024"];
function judgeWord(given: unknown, param: string, words: readonly string[]): void {
  if (given !== null && !words.includes(String(given)))
    throw new Refusal(400, { message: `${param} must be one of ${words.join(", ")}.`, param });
}

async function formOf({ body, headers }: OutgoingRequest): Promise<FormData> {
  try {
    return await new Response(body as BodyInit | null, { headers: { "content-type": headers.get("content-type") ?? "" } }).formData(); // a Uint8Array is a body; its type parameter says less
  } catch {
    throw new Refusal(400, { message: "The body is not a multipart form." });
  }
}

function result({ prompt, n, format }: Asked, now: number): Json {
  if (typeof prompt !== "string" || prompt === "") throw missing("prompt");
  const count = n === null || n === undefined ? 1 : Number(n);
  if (!Number.isInteger(count) || count < 1 || count > 10) throw new Refusal(400, { message: "n must be between 1 and 10.", param: "n" });
  const image = (index: number): Json =>
    format === "b64_json" ? { b64_json: PIXEL } : { url: `https://sandbox.invalid/images/${idOf(prompt)}-${index}.png` };
  return {
    created: Math.floor(now / 1000),
    data: Array.from({ length: count }, (_, index) => ({ ...image(index), revised_prompt: prompt })),
  };
}
