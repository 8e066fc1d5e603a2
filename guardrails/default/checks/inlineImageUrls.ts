import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, GatewayError, type Handles, type Json, maskUrl, messageOf, nextTurn, type Verdict, defineCheck } from "#contract";
import { ForwardHeaders, forwarded } from "#contract";
import { type FetchedImage, withImage } from "../images.ts";
import { inParallel } from "../in-parallel.ts";
import { bytesOf, discarded, following } from "../outbound.ts";

const MAX_IMAGES = 20;
/** One image may stand in several places. */
const MAX_PLACES = 50;
const TOO_MANY = `The request names more than ${MAX_IMAGES} images by their URLs, or in more than ${MAX_PLACES} places, and no more are fetched.`;
const AT_ONCE = 4;
const MAX_BYTES = 20_971_520;
/** Of all images of a request together, wherever each stands. */
const MAX_TOTAL_BYTES = 33_554_432;

const Params = Type.Object({
  providers: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, description: "Providers for whose requests it is done. Default: all." }),
  ),
  maxSizeBytes: Type.Integer({ default: MAX_BYTES, minimum: 1, maximum: MAX_BYTES, description: "Bytes of one image." }),
  timeoutMs: Type.Integer({ default: 30_000, minimum: 1, maximum: 120_000, description: "Milliseconds for all images together." }),
  failOnError: Type.Boolean({ default: false, description: "Fail where an image cannot be fetched; else its URL stays." }),
  forwardHeaders: ForwardHeaders,
});
type Input = CheckInput<Static<typeof Params>>;

/** For providers that fetch no images themselves, or must not. */
export default (host: Pick<Handles, "fetch">) =>
  defineCheck({
    id: "default.inlineImageUrls",
    title: "Images are fetched and put into the request",
    on: ["input"],
    wants: ["image"],
    scope: "all_messages",
    transforms: true,
    timeoutMs: 130_000,
    operations: ["chatComplete", "messages", "createModelResponse", "generateContent", "streamGenerateContent"],
    params: Params,
    async run(input): Promise<Verdict> {
      const { params, call } = input;
      if (params.providers?.length && !params.providers.includes(call.provider ?? "")) return untouched("Its provider is not on the list.");
      const places = placesOf(input);
      if (places === null) return { verdict: "error", class: "budget", message: TOO_MANY };
      if (places.size === 0) return untouched("The request names no image by a URL.");
      return judged(input, places, await fetched(host, places, input));
    },
  });
const untouched = (explanation: string): Verdict => ({ verdict: "allow", data: { verdict: true, inlined: 0, explanation } });

type Places = ReadonlyMap<string, readonly string[]>;
/** Where in the body each URL stands; `null` where there are too many. */
function placesOf({ segments }: Input): Places | null {
  const places = new Map<string, string[]>();
  let count = 0;
  for (const { text: url, path } of segments) {
    if (!/^https?:\/\//i.test(url.slice(0, 8))) continue;
    const paths = places.get(url) ?? [];
    places.set(url, paths);
    paths.push(path);
    count += 1;
    if (places.size > MAX_IMAGES || count > MAX_PLACES) return null;
  }
  return places;
}

function judged({ call, params }: Input, places: Places, images: readonly Fetched[]): Verdict {
  const failed = images.flatMap(({ url, why }) => (why === undefined ? [] : [{ url: maskUrl(url), why }]));
  const [first] = failed;
  if (first && (params.failOnError || failed.length === images.length))
    return {
      verdict: "error",
      class: "unavailable",
      message: `The image ${first.url} could not be fetched: ${first.why}`,
      data: { failed },
    };
  let body: Json = call.request ?? {};
  for (const { url, image } of images) if (image) for (const path of places.get(url) ?? []) body = withImage(body, path, image);
  const inlined = images.length - failed.length;
  const explanation = `${inlined} of ${images.length} images were put into the request.`;
  return { verdict: "transform", patches: [{ body }], data: { verdict: true, inlined, failed, explanation } };
}

/* ── fetching ────────────────────────────────────────────────────────────────────────────────────────────────── */

interface Fetched {
  readonly url: string;
  readonly image?: FetchedImage;
  readonly why?: string;
}
async function fetched(host: Pick<Handles, "fetch">, places: Places, input: Input): Promise<readonly Fetched[]> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(input.params.timeoutMs)]);
  const headers = { ...forwarded(input.params.forwardHeaders, input.call), accept: "image/*" };
  const init = { headers, signal, maxAnswerBytes: input.params.maxSizeBytes };
  let total = 0;
  return inParallel([...places], AT_ONCE, async ([url, paths]): Promise<Fetched> => {
    try {
      const response = await following(host, url, init);
      const mediaType = await imageType(response, url);
      const bytes = await bytesOf(response, input.params.maxSizeBytes, new URL(url).host);
      total += bytes.length * paths.length;
      if (total > MAX_TOTAL_BYTES) throw refused(url, `all images together have more than ${MAX_TOTAL_BYTES} bytes`);
      return { url, image: { mediaType, base64: await base64Of(bytes) } };
    } catch (thrown) {
      return { url, why: messageOf(thrown) };
    }
  });
}
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|heic|heif|tiff)$/;

/** What it says it is; throws where that is no image. */
async function imageType(response: Response, url: string): Promise<string> {
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (response.ok && IMAGE.test(type)) return type;
  await discarded(response);
  throw refused(url, response.ok ? "it is no image" : `it answered ${response.status}`);
}
const refused = (url: string, why: string): GatewayError => new GatewayError("UPSTREAM_INVALID", { provider: new URL(url).host, why });

/** Divisible by three, so that the pieces fit together. */
const CHUNK_BYTES = 768 * 1024;
/** A large image is many milliseconds of work: others have their turn. */
async function base64Of(bytes: Uint8Array): Promise<string> {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (at > 0) await nextTurn();
    pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(CHUNK_BYTES, bytes.length - at)).toString("base64"));
  }
  return pieces.join("");
}
