import { isJson, type Json } from "#contract";

const FILES = "files-api-2025-04-14";

/** `anthropic-beta`, of a text or a list. */
export function betaHeader(features: unknown, ...more: readonly string[]): Readonly<Record<string, string>> {
  const betas = [features ?? []].flat().flatMap((feature) => String(feature).split(","));
  const beta = [...new Set([...betas.map((feature) => feature.trim()), ...more])].filter((feature) => feature !== "");
  return beta.length === 0 ? {} : { "anthropic-beta": beta.join(",") };
}

/** The same with the beta that reads kept files, where a chat request names one. */
export const betasFor = (body: Json, features: unknown): Readonly<Record<string, string>> =>
  namesFile(body) ? betaHeader(features, FILES) : {};

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const namesFile = ({ messages }: Json): boolean =>
  list(messages).some(({ content }) => list(content).some(({ file }) => isJson(file) && typeof file.file_id === "string"));
