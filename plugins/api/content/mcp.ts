import { type BodyContent, isJson, type Json, type PlacedSegment, type Segment } from "#contract";
import { type Found, put } from "./found.ts";
import { eachObject, objectIn } from "./ids.ts";

/*
 * What a call of a tool says over MCP, and its result: JSON-RPC messages of `tools/call`. Other messages hold nothing to
 * judge. The text under test is the JSON of the arguments, and of a result its texts.
 */

const ALL_OF_IT = 0;
type Kind = Segment["kind"];
const segment = (path: string, role: Segment["role"], kind: Kind, text: string): PlacedSegment => ({
  path,
  role,
  kind,
  text,
  message: ALL_OF_IT,
});

/** The arguments that are sent to a tool. A patch of them is JSON again. */
function input({ method, params }: Json): readonly PlacedSegment[] {
  const args = isJson(params) ? params["arguments"] : undefined;
  return method === "tools/call" && isJson(args) ? [segment("params.arguments", "assistant", "text", JSON.stringify(args))] : [];
}

/** What a tool returned: texts, what it embeds, and the same in a structure. */
function output(message: Json): readonly PlacedSegment[] {
  const result = objectIn(message, "result");
  const found: Found = [];
  eachObject(result["content"], (block, index) => {
    for (const piece of inBlock(block, `result.content[${index}]`)) put(found, piece);
  });
  const { structuredContent } = result;
  if (isJson(structuredContent)) put(found, segment("result.structuredContent", "tool", "text", JSON.stringify(structuredContent)));
  return found;
}

function inBlock(block: Json, path: string): readonly PlacedSegment[] {
  const { type, text, data, mimeType, uri, description } = block;
  if (typeof text === "string") return [segment(`${path}.text`, "tool", "text", text)];
  if (typeof data === "string") return [segment(`${path}.data`, "tool", type === "audio" ? "audio" : "image", dataUrl(mimeType, data))];
  if (type === "resource") return inResource(objectIn(block, "resource"), `${path}.resource`);
  return [
    ...(typeof description === "string" ? [segment(`${path}.description`, "tool", "text", description)] : []),
    ...(typeof uri === "string" ? [segment(`${path}.uri`, "tool", "file", uri)] : []),
  ];
}
function inResource({ text, blob, mimeType }: Json, path: string): readonly PlacedSegment[] {
  if (typeof text === "string") return [segment(`${path}.text`, "tool", "text", text)];
  return typeof blob === "string" ? [segment(`${path}.blob`, "tool", "file", dataUrl(mimeType, blob))] : [];
}
const dataUrl = (type: unknown, data: string): string =>
  `data:${typeof type === "string" ? type : "application/octet-stream"};base64,${data}`;

/** Guardrails with the target `mcp_tools` judge these. */
export const MCP_CALL: BodyContent = { input, output };
