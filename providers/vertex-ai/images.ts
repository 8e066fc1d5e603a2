import { type Adapter, GatewayError, isJson, type Json } from "#contract";
import { noImage } from "../wires/openai/no-image.ts";
import { modelPath } from "./endpoint.ts";

/** Member of OpenAI's form -> the parameter of its name; what is not named here travels on as it is. */
const NAMES: Readonly<Record<string, string>> = {
  n: "sampleCount",
  style: "sampleImageStyle",
  aspect_ratio: "aspectRatio",
  negative_prompt: "negativePrompt",
  person_generation: "personGeneration",
  safety_setting: "safetySetting",
  add_watermark: "addWatermark",
};
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["model", "prompt", "size", "quality", "response_format", "user", "stream", "partial_images", "output_format"],
  "parameters",
]);

/** Sizes of OpenAI's that have a proportion here. */
const RATIOS: Readonly<Record<string, string>> = {
  "1024x1024": "1:1",
  "1792x1024": "16:9",
  "1024x1792": "9:16",
  "1536x1024": "4:3",
  "1024x1536": "3:4",
};

function parametersOf(body: Json): Json {
  const { size, quality, output_format: format, parameters } = body;
  const named = Object.entries(body)
    .filter(([member, value]) => !LEFT_OUT.has(member) && value !== null)
    .map(([member, value]) => [NAMES[member] ?? member, value] as const);
  const ratio = RATIOS[String(size)];
  return {
    ...(ratio !== undefined && { aspectRatio: ratio }),
    outputOptions: {
      mimeType: `image/${format === "jpeg" ? "jpeg" : "png"}`,
      ...(format === "jpeg" && { compressionQuality: quality === "hd" ? 100 : 75 }),
    },
    ...Object.fromEntries(named),
    ...(isJson(parameters) && parameters),
  };
}

function drawn({ predictions }: Json): readonly Json[] {
  const all = Array.isArray(predictions) ? predictions.filter(isJson) : [];
  const images = all.filter(({ bytesBase64Encoded: image }) => typeof image === "string");
  if (images.length > 0) return images;
  const why = all.find(({ raiFilteredReason: reason }) => typeof reason === "string")?.["raiFilteredReason"];
  throw noImage(why);
}

/** Imagen over :predict. */
export const imageGenerate = (now: () => number): Adapter => ({
  path: (_body, { target }) => modelPath(target, "predict"),
  request(body) {
    if (body["stream"] === true)
      throw new GatewayError("REQUEST_INVALID", { what: "Imagen's images are not streamed." }, { param: "stream" });
    return { instances: [{ prompt: body["prompt"] }], parameters: parametersOf(body) };
  },
  response: (body) => ({
    created: Math.floor(now() / 1000),
    data: drawn(body).map(({ bytesBase64Encoded, prompt }) => ({
      b64_json: bytesBase64Encoded,
      ...(typeof prompt === "string" && { revised_prompt: prompt }),
    })),
  }),
});
