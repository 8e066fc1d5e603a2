import { type Adapter, GatewayError, isJson, type Json, tokens, type Usage } from "#contract";
import { textsOf } from "../wires/gemini/texts.ts";
import { modelPath } from "./endpoint.ts";
import { vertexModel } from "./model.ts";

/** Members that are mapped below or that only OpenAI's wire knows; the others go to every instance. */
// biome-ignore format: a list, several a line
const MAPPED: ReadonlySet<string> = new Set([
  "model", "input", "dimensions", "encoding_format", "user", "parameters", "task_type", "taskType", "title", "auto_truncate", "autoTruncate",
]);

/** Newer Gemini models embed one content a request; the others predict a list of instances. */
const embedsContent = (name: string): boolean => name.includes("gemini") && name !== "gemini-embedding-001";

const present = (json: Json): Json => Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined && value !== null));
const settings = ({ dimensions, auto_truncate, autoTruncate = auto_truncate }: Json): Json =>
  present({ outputDimensionality: dimensions, autoTruncate });

function predicted(body: Json): Json {
  const more = Object.fromEntries(Object.entries(body).filter(([member]) => !MAPPED.has(member)));
  const { task_type = body.taskType, title } = body;
  const parameters = { ...settings(body), ...(isJson(body.parameters) && body.parameters) };
  return {
    instances: textsOf(body.input).map((content) => ({ ...more, content, ...present({ task_type, title }) })),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}
function embedded(body: Json): Json {
  const [text, ...others] = textsOf(body.input);
  if (others.length > 0) throw new GatewayError("REQUEST_INVALID", { what: "This model embeds one text a request." }, { param: "input" });
  const { taskType = body.task_type, title } = body;
  const embedContentConfig = present({ ...settings(body), taskType, title });
  return { content: { parts: [{ text }] }, ...(Object.keys(embedContentConfig).length > 0 && { embedContentConfig }) };
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const inner = (value: unknown): Json => (isJson(value) ? value : {});
const vectors = (body: Json): unknown[] =>
  isJson(body.embedding) ? [body.embedding.values] : list(body.predictions).map(({ embeddings }) => inner(embeddings).values);

/** Input tokens as far as they are told; `undefined` when they are not. */
function counted(body: Json): number | undefined {
  const reported = isJson(body.usageMetadata)
    ? [body.usageMetadata.promptTokenCount]
    : list(body.predictions).map(({ embeddings }) => inner(inner(embeddings).statistics).token_count);
  const counts = reported.filter((count) => typeof count === "number");
  return counts.length > 0 ? counts.reduce((total, count) => total + tokens(count), 0) : undefined;
}
function usage(body: Json): Usage | undefined {
  const input = counted(body);
  return input === undefined ? undefined : { input };
}

/** Embeddings over :predict, or :embedContent for the models that have it. */
export const embed: Adapter = {
  path: (_body, { target }) => modelPath(target, embedsContent(vertexModel(target.model).name) ? "embedContent" : "predict"),
  request: (body, { target }) => (embedsContent(vertexModel(target.model).name) ? embedded(body) : predicted(body)),
  response(body, { target }) {
    const count = counted(body) ?? -1; // says that it is not told, where OpenAI's form wants a number
    const data = vectors(body).map((embedding, index) => ({ object: "embedding", index, embedding }));
    return { object: "list", model: target.model, data, usage: { prompt_tokens: count, total_tokens: count } };
  },
  usage,
};
