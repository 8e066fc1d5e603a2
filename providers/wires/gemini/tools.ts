import { type ChatRequest, type ChatTool, isJson, type Json } from "#contract";
import { inner } from "./parts.ts";
import { geminiSchema } from "./schema.ts";

/** Google's own tools and their options: the wire's name -> what a client may call it in `parameters`. */
const GOOGLE_TOOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  googleSearch: { timeRangeFilter: "timeRangeFilter" },
  googleSearchRetrieval: { dynamicRetrievalConfig: "dynamicRetrievalConfig" },
  googleMaps: { enableWidget: "enableWidget" },
  enterpriseWebSearch: {},
  codeExecution: {},
  urlContext: {},
  fileSearch: { fileSearchStoreNames: "file_search_store_names", topK: "top_k", metadataFilter: "metadata_filter" },
  computerUse: { environment: "environment", excludedPredefinedFunctions: "excluded_predefined_functions" },
};
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export function toolsOf({ tools = [], web_search_options: search }: ChatRequest): Json[] | undefined {
  const declared: Json[] = [];
  const others: Json[] = isJson(search) ? [{ googleSearch: {} }] : [];
  for (const tool of tools) sort({ ...tool }, declared, others);
  const all = declared.length > 0 ? [{ functionDeclarations: declared }, ...others] : others;
  return all.length > 0 ? all : undefined;
}
function sort(tool: Json, declared: Json[], others: Json[]): void {
  const google = googleTool(tool);
  if (google) others.push(google);
  else if (isJson(tool.function)) declared.push(declaration(tool.function));
  else others.push(ownForm(tool));
}
/** The wire's own form, e.g. `{googleSearch: {}}`; a function without its description is an error. */
function ownForm({ type, ...tool }: Json): Json {
  return type === "function" ? inner(tool, "function") : tool;
}

/** A function (or a type) with the name of one of Google's tools is that tool. */
function googleTool(tool: Json): Json | undefined {
  const called = isJson(tool.function) ? tool.function.name : tool.type;
  const name = camel(String(called));
  const fields = Object.hasOwn(GOOGLE_TOOLS, name) ? GOOGLE_TOOLS[name] : undefined;
  return fields && { [name]: options(fields, parametersOf(tool)) };
}
function parametersOf(tool: Json): Json {
  const given = isJson(tool.function) ? tool.function.parameters : tool[String(tool.type)];
  return isJson(given) ? given : {};
}
const options = (fields: Readonly<Record<string, string>>, given: Json): Json =>
  Object.fromEntries(Object.entries(fields).flatMap(([to, from]) => pair(to, given[to] ?? given[from])));
const pair = (name: string, value: unknown): [string, unknown][] => (value === undefined ? [] : [[name, value]]);

function declaration({ strict: _strict, parameters, ...declared }: Json): Json {
  const schema = isJson(parameters) ? geminiSchema(parameters) : {};
  const isEmpty = !isJson(schema.properties) || Object.keys(schema.properties).length === 0; // refused by the wire
  return isEmpty ? declared : { ...declared, parameters: schema };
}

const MODES: Readonly<Record<string, string>> = { auto: "AUTO", none: "NONE", required: "ANY" };

/** `toolConfig`: which functions must be called, and where maps are searched. */
export function toolConfigOf(body: ChatRequest): Json | undefined {
  const functionCallingConfig = calling(body);
  const retrievalConfig = retrieval(body);
  const config = { ...(functionCallingConfig && { functionCallingConfig }), ...(retrievalConfig && { retrievalConfig }) };
  return Object.keys(config).length > 0 ? config : undefined;
}
function calling({ tool_choice: choice, tools = [], model }: ChatRequest): Json | undefined {
  if (isJson(choice)) return { mode: "ANY", allowedFunctionNames: [inner(choice, "function").name] };
  const isFree = choice === undefined || choice === null || choice === "auto";
  if (isFree && VALIDATES.test(model) && tools.some(isStrict)) return { mode: "VALIDATED" };
  const mode = MODES[String(choice)];
  return mode === undefined ? undefined : { mode };
}
/** These keep the calls that they make of themselves to the schemas, when asked; others know no such promise. */
const VALIDATES = /gemini-(2\.5|[3-9])/;
const isStrict = ({ function: declared }: ChatTool): boolean => isJson(declared) && declared.strict === true;
function retrieval({ tools = [] }: ChatRequest): Json | undefined {
  const maps = tools.find((tool) => googleTool({ ...tool })?.googleMaps !== undefined);
  const found = maps && options({ latLng: "lat_lng", languageCode: "language_code" }, parametersOf({ ...maps }));
  return found && Object.keys(found).length > 0 ? found : undefined;
}
