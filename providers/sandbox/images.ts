import type { Adapter, Json } from "#contract";
import { answering, obeying } from "./answering.ts";
import { eventStream } from "./events.ts";
import { formWith, textIn } from "./form.ts";
import { beginningOf } from "./message.ts";
import { MAX_SAID } from "./scenario.ts";
import { idOf } from "./id.ts";
import { invalid, missing } from "./missing.ts";
import { tokens } from "./speech.ts";

/** One transparent pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

interface ImageRequest {
  readonly prompt: unknown;
  readonly n: unknown;
  readonly format: unknown;
  readonly partials: unknown;
  readonly streams: boolean;
}

/** Image generation, edits and variations: `n` times the same pixel. */
export const images = (now: () => number) =>
  ({
    imageGenerate: {
      answer: obeying((body) => answer("image_generation", askedBy(body), now())),
    },
    imageEdit: {
      answer: obeying(async (body, _ask, signal, request) => {
        if (request.headers.get("content-type")?.includes("json")) return editByLink(body, now());
        const form = await formWith("image", request, signal);
        return answer("image_edit", { ...askedIn(form), prompt: text(form.get("prompt")) }, now());
      }),
    },
    imageVariation: {
      answer: answering(async (_body, _ask, signal, request) =>
        answer("image_variation", { ...askedIn(await formWith("image", request, signal)), streams: false }, now()),
      ),
    },
  }) satisfies Record<string, Adapter>;

function text(prompt: unknown): string {
  if (typeof prompt !== "string" || prompt === "") throw missing("prompt");
  return prompt;
}

const SIZES = ["256x256", "512x512", "1024x1024"];
function judgeWord(given: unknown, param: string, words: readonly string[]): void {
  if (given !== null && !words.includes(String(given))) throw invalid(param, `${param} must be one of ${words.join(", ")}.`);
}

function editByLink(body: Json, now: number): Response | Json {
  if (body["images"] === undefined && body["image"] === undefined) throw missing("images");
  return answer("image_edit", askedBy(body), now);
}

const askedBy = ({ prompt, n, response_format: format, partial_images: partials, stream }: Json): ImageRequest => ({
  prompt: text(prompt),
  n,
  format,
  partials,
  streams: stream === true,
});

function askedIn(form: FormData): ImageRequest {
  judgeWord(form.get("size"), "size", SIZES);
  judgeWord(form.get("response_format"), "response_format", ["url", "b64_json"]);
  return {
    prompt: undefined,
    n: form.get("n"),
    format: form.get("response_format"),
    partials: form.get("partial_images"),
    streams: textIn(form, "stream") === "true",
  };
}

function answer(event: string, request: ImageRequest, now: number): Response | Json {
  const { prompt, n, format, streams } = request;
  const count = n === null || n === undefined ? 1 : Number(n);
  if (!Number.isInteger(count) || count < 1 || count > 10) throw invalid("n", "n must be between 1 and 10.");
  const created_at = Math.floor(now / 1000);
  if (streams) return streamed(event, request.partials, { created_at, usage: usageOf(prompt, count) });
  const image = (index: number): Json =>
    format === "b64_json" ? { b64_json: PIXEL } : { url: `https://sandbox.invalid/images/${idOf(prompt ?? event)}-${index}.png` };
  const revised = typeof prompt === "string" ? { revised_prompt: beginningOf(prompt, MAX_SAID) } : {};
  return { created: created_at, data: Array.from({ length: count }, (_, index) => ({ ...image(index), ...revised })) };
}

const IMAGE_TOKENS = 272;
function usageOf(prompt: unknown, count: number): Json {
  const [input, output] = [tokens([String(prompt ?? "")]), count * IMAGE_TOKENS];
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input, image_tokens: 0 },
  };
}

const LOOKS = { size: "1024x1024", quality: "low", background: "transparent", output_format: "png" };
/** The image as far as it is drawn, so many times, and then the whole. */
function streamed(
  event: string,
  partials: unknown,
  { created_at, usage }: { readonly created_at: number; readonly usage: Json },
): Response {
  const count = Math.min(3, Number(partials ?? 0) || 0);
  const image = { b64_json: PIXEL, created_at, ...LOOKS };
  const partial = (partial_image_index: number): Json => ({ type: `${event}.partial_image`, ...image, partial_image_index });
  return eventStream(
    [...Array.from({ length: count }, (_, index) => partial(index)), { type: `${event}.completed`, ...image, usage }],
    true,
  );
}
