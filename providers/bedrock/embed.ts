import { type Adapter, GatewayError, isJson, type Json, tokens, type Usage } from "#contract";
import { bareModel } from "./families.ts";
import { modelPath, plainModel } from "./model-path.ts";

/** What is embedded: a text, an image (base64), or both as one. */
interface Entry {
  readonly text?: string;
  readonly image?: string;
}
interface Family {
  readonly names: RegExp;
  request(entries: readonly Entry[], body: Json): Json;
  /** The vectors of an answer, in the order of the entries. */
  vectors(body: Json): readonly unknown[];
}
/** Members that are mapped below, or that only OpenAI's wire knows; the others travel on. */
const MAPPED: ReadonlySet<string> = new Set(["model", "input", "dimensions", "encoding_format", "user"]);

const TITAN_IMAGE: Family = {
  names: /^amazon\.titan-embed-image/,
  request: (entries, { dimensions }) => ({
    ...single(entries),
    ...(dimensions ? { embeddingConfig: { outputEmbeddingLength: dimensions } } : {}),
  }),
  vectors: titanVectors,
};
/** The first generation knows nothing but the text. */
const TITAN_FIRST: Family = { ...TITAN_IMAGE, names: /^amazon\.titan-embed-(text-v1|g1-text-02)/, request: (entries) => single(entries) };
const TITAN: Family = {
  ...TITAN_IMAGE,
  names: /^amazon\.titan-embed/,
  request: (entries, { dimensions, encoding_format }) => ({
    ...single(entries),
    ...(dimensions ? { dimensions } : {}),
    ...(TITAN_TYPES.has(encoding_format) && { embeddingTypes: [encoding_format] }),
  }),
};
const TITAN_TYPES: ReadonlySet<unknown> = new Set(["float", "binary"]);

const COHERE: Family = {
  names: /^cohere\.embed/,
  request: (entries, { dimensions, encoding_format }) => ({
    input_type: entries.some(({ text }) => text === undefined) ? "image" : "search_document", // demanded; the body's own wins
    ...listed(
      "texts",
      entries.map(({ text }) => text),
    ),
    ...listed(
      "images",
      entries.map(({ image }) => image),
    ),
    ...(dimensions ? { output_dimension: dimensions } : {}),
    ...(COHERE_TYPES.has(encoding_format) && { embedding_types: [encoding_format] }),
  }),
  vectors: ({ embeddings }) => (Array.isArray(embeddings) ? embeddings : firstList(embeddings)),
};
const COHERE_TYPES: ReadonlySet<unknown> = new Set(["float", "int8", "uint8", "binary", "ubinary"]);

/** The first match counts. */
const FAMILIES: readonly Family[] = [TITAN_IMAGE, TITAN_FIRST, TITAN, COHERE];

function familyOf(model: string): Family {
  const bare = bareModel(plainModel(model));
  const family = FAMILIES.find(({ names }) => names.test(bare));
  if (family) return family;
  const what = "Embeddings on Bedrock are served for amazon.titan-embed-… and cohere.embed-… models.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "model" });
}

/** Titan takes one entry a request; the rest of a longer list would be lost. */
function single(entries: readonly Entry[]): Json {
  const [entry, ...more] = entries;
  if (entry === undefined || more.length > 0) {
    const what = "Titan models embed one input a request: send a string, or a list of one.";
    throw new GatewayError("REQUEST_INVALID", { what }, { param: "input" });
  }
  return { ...(entry.text !== undefined && { inputText: entry.text }), ...(entry.image !== undefined && { inputImage: entry.image }) };
}
function titanVectors({ embedding, embeddingsByType }: Json): readonly unknown[] {
  return [Array.isArray(embedding) ? embedding : firstList(embeddingsByType)];
}
/** `{float: […]}` -> `[…]`: one type was asked for. */
const firstList = (byType: unknown): readonly unknown[] => (isJson(byType) && Object.values(byType).find(Array.isArray)) || [];
function listed(member: string, values: readonly (string | undefined)[]): Json {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? { [member]: given } : {};
}

function entriesOf(input: unknown): Entry[] {
  return (Array.isArray(input) ? input : [input]).map((value: unknown) => {
    if (typeof value === "string") return { text: value };
    const image = isJson(value) && isJson(value.image) ? value.image.base64 : undefined;
    const entry = {
      ...(isJson(value) && typeof value.text === "string" && { text: value.text }),
      ...(typeof image === "string" && { image }),
    };
    if (Object.keys(entry).length > 0) return entry;
    const what = "Bedrock embeds texts and images: input must hold strings, or objects with text or image.base64, not tokens.";
    throw new GatewayError("REQUEST_INVALID", { what }, { param: "input" });
  });
}

/** Titan counts its tokens; Cohere tells them in a header only, and -1 says so where OpenAI's form wants a number. */
const usageOf = ({ inputTextTokenCount: count }: Json): Usage | undefined =>
  typeof count === "number" ? { input: tokens(count) } : undefined;

function response(body: Json, { target }: { readonly target: { readonly model: string } }): Json {
  const data = familyOf(target.model)
    .vectors(body)
    .map((embedding, index) => ({ object: "embedding", index, embedding }));
  const count = usageOf(body)?.input ?? -1;
  return { object: "list", model: target.model, data, usage: { prompt_tokens: count, total_tokens: count } };
}

/** Embeddings over InvokeModel. */
export const embed: Adapter = {
  path: (_body, { target }) => `${modelPath(target.model)}/invoke`,
  request: (body, { target }) => ({
    ...familyOf(target.model).request(entriesOf(body.input), body),
    ...Object.fromEntries(Object.entries(body).filter(([member]) => !MAPPED.has(member))),
  }),
  response,
  usage: usageOf,
};
