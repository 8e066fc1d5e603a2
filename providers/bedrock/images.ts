import { type Adapter, GatewayError, isJson, type Json } from "#contract";
import { noImage } from "../wires/openai/no-image.ts";
import { bareModel } from "./families.ts";
import { modelPath, plainModel } from "./model-path.ts";

interface Family {
  readonly names: RegExp;
  request(body: Json): Json;
  /** The images of an answer, in base64. */
  images(body: Json): readonly unknown[];
}
/** Members that are mapped below, or that only OpenAI's wire knows; the others travel on. */
// biome-ignore format: a list, several a line
const MAPPED: ReadonlySet<string> = new Set([
  "model", "prompt", "n", "size", "quality", "style", "response_format", "user", "negative_prompt", "seed", "stream", "partial_images",
]);

const present = (json: Json): Json => Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined && value !== null));
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const refused = (param: string, what: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param });

/** `1024x768` -> its sides; nothing where no size, or the model's own, is asked for. */
function sidesOf(size: unknown): { readonly width?: number; readonly height?: number } {
  if (size === undefined || size === null || size === "auto") return {};
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(String(size)) ?? [];
  if (width === undefined) throw refused("size", "The size must be width and height, such as 1024x1024.");
  return { width: Number(width), height: Number(height) };
}

const SETTINGS = "imageGenerationConfig";
const QUALITY: Readonly<Record<string, string>> = { standard: "standard", hd: "premium", high: "premium" };
const AMAZON: Family = {
  names: /^amazon\.(nova-canvas|titan-image)/,
  request: ({ prompt, n, size, quality, style, seed, negative_prompt: negativeText }) => ({
    taskType: "TEXT_IMAGE",
    textToImageParams: present({ text: prompt, negativeText, style }),
    imageGenerationConfig: present({ numberOfImages: n, ...sidesOf(size), quality: QUALITY[String(quality)], seed }),
  }),
  images: ({ images }) => list(images),
};

const STABLE_DIFFUSION: Family = {
  names: /^stability\.stable-diffusion-xl/,
  request: ({ prompt, n, size, style: style_preset, seed }) => ({
    text_prompts: [{ text: prompt, weight: 1 }],
    ...present({ samples: n, ...sidesOf(size), style_preset, seed }),
  }),
  images: ({ artifacts }) => list(artifacts).map((artifact) => (isJson(artifact) ? artifact["base64"] : undefined)),
};

const STABILITY: Family = {
  names: /^stability\./,
  request({ prompt, n, size, seed, negative_prompt, aspect_ratio = ratioOf(size), style: style_preset }) {
    if (typeof n === "number" && n > 1) throw refused("n", "This model draws one image a request.");
    return present({ prompt, negative_prompt, aspect_ratio, seed, style_preset });
  },
  images: ({ images }) => list(images),
};
/** It knows proportions, not sizes. */
const RATIOS: readonly string[] = ["16:9", "1:1", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"];
function ratioOf(size: unknown): string | undefined {
  const { width, height } = sidesOf(size);
  if (width === undefined || height === undefined) return undefined;
  const apart = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height / (across / down)));
  };
  return RATIOS.toSorted((ratio, other) => apart(ratio) - apart(other))[0];
}

/** The first match counts. */
const FAMILIES: readonly Family[] = [AMAZON, STABLE_DIFFUSION, STABILITY];
function familyOf(model: string): Family {
  const bare = bareModel(plainModel(model));
  const family = FAMILIES.find(({ names }) => names.test(bare));
  if (family) return family;
  throw refused("model", "Images on Bedrock are drawn by amazon.nova-canvas-…, amazon.titan-image-… and stability.… models.");
}

function drawn(body: Json, model: string): readonly string[] {
  const images = familyOf(model)
    .images(body)
    .filter((image): image is string => typeof image === "string" && image !== "");
  if (images.length > 0) return images;
  const why = [body["error"], ...list(body["finish_reasons"])].find((reason) => typeof reason === "string");
  throw noImage(why);
}

/**
 * A client may ask for another task, and add settings of the model's own; what was judged is what is drawn, so the texts
 * of any task are the prompt and what not to draw.
 */
function withOwn(own: Json, mapped: Json, { prompt, negative_prompt: negative }: Json): Json {
  const request: Json = { ...own, ...mapped, ...("taskType" in own && { taskType: own["taskType"] }) };
  for (const [name, given] of Object.entries(own)) {
    if (!isJson(given)) continue;
    if (isJson(mapped[name]) && name === SETTINGS) request[name] = { ...given, ...mapped[name] };
    else if (!(name in mapped))
      request[name] = {
        ...given,
        ...("text" in given && { text: prompt }),
        ...("negativeText" in given && { negativeText: negative ?? "" }),
      };
  }
  return request;
}

/** Images over InvokeModel. */
export const imageGenerate = (now: () => number): Adapter => ({
  path: (_body, { target }) => `${modelPath(target.model)}/invoke`,
  request(body, { target }) {
    if (body["stream"] === true) throw refused("stream", "Images on Bedrock are not streamed.");
    const own = Object.fromEntries(Object.entries(body).filter(([member]) => !MAPPED.has(member)));
    return withOwn(own, familyOf(target.model).request(body), body);
  },
  response: (body, { target }) => ({
    created: Math.floor(now() / 1000),
    data: drawn(body, target.model).map((b64_json) => ({ b64_json })),
  }),
});
