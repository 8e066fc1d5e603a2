import { GatewayError, isJson, type Json } from "#contract";

/** The same message request. Throws where it names a file that Anthropic keeps: the clouds that serve Claude have no such files. */
export function withoutKeptFiles(body: Json, provider: string): Json {
  if (!blocksOf(body.messages).some(namesFile)) return body;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `${provider} has no file of that file_id: send the file itself as base64.` },
    { param: "messages" },
  );
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const blocksOf = (turns: unknown): readonly Json[] => list(turns).flatMap(({ content }) => list(content));
/** What a tool gave back has blocks of its own. */
const namesFile = ({ source, content, type, file_id }: Json): boolean =>
  (isJson(source) && source.type === "file") || (type === "container_upload" && file_id !== undefined) || list(content).some(namesFile);
