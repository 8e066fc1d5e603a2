import type { Json, OwnedIds } from "#contract";
import { idInAddress } from "../content/kept-names.ts";
import { object, objects } from "../content/wire.ts";

/* What Google keeps is made by pass-through (`/v1/proxy/upload/v1beta/files`), and named here. */

/** A word of its own is no address, and so a name. */
function kept(value: unknown): readonly string[] {
  const id = typeof value !== "string" ? undefined : /[:/]/.test(value) ? idInAddress(value) : value;
  return id === undefined ? [] : [id];
}
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? objects(value) : [object(value)]);

/** What a function gave back may have parts of its own. */
const idsOfPart = ({ fileData, file_data, functionResponse, function_response }: Json): readonly string[] => {
  const { fileUri, file_uri } = object(fileData ?? file_data);
  const { parts } = object(functionResponse ?? function_response);
  return [...kept(fileUri ?? file_uri), ...(parts === undefined ? [] : listOf(parts).flatMap(idsOfPart))];
};
const idsOfContent = ({ parts }: Json): readonly string[] => listOf(parts).flatMap(idsOfPart);
function idsOfTool({ fileSearch, file_search }: Json): readonly string[] {
  const { fileSearchStoreNames, file_search_store_names } = object(fileSearch ?? file_search);
  const names = fileSearchStoreNames ?? file_search_store_names;
  return Array.isArray(names) ? names.flatMap(kept) : [];
}

/** A request, and those that stand in it. */
const named = (body: Json): readonly string[] => [
  ...[body.contents, body.content, body.systemInstruction ?? body.system_instruction].flatMap((said) => listOf(said).flatMap(idsOfContent)),
  ...kept(body.cachedContent ?? body.cached_content),
  ...listOf(body.tools).flatMap(idsOfTool),
  ...[body.requests, body.generateContentRequest ?? body.generate_content_request].flatMap((inner) =>
    inner === undefined ? [] : listOf(inner).flatMap(named),
  ),
];
export const owned: OwnedIds = { named };
