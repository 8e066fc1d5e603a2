import { GatewayError, isJson, type Json } from "#contract";

/** What a member of the chat form asks for that a provider may have nowhere; leaving it out would give another answer. */
interface Demand {
  /** The member that is named. */
  readonly member: string;
  isIn(body: Json): boolean;
  /** What is not there, behind "<provider> has ". */
  readonly words: string;
}

const EFFORTS = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

const DEMANDS = {
  functions: { member: "functions", isIn: ({ functions }) => list(functions).length > 0, words: "no functions: send them as tools" },
  stops: { member: "stop", isIn: ({ stop }) => [stop].flat().some(isText), words: "no texts to stop at (stop)" },
  choices: { member: "n", isIn: ({ n }) => typeof n === "number" && n > 1, words: "one choice only (n): ask once for each" },
  logprobs: { member: "logprobs", isIn: ({ logprobs }) => logprobs === true, words: "no log probabilities (logprobs)" },
  speech: {
    member: "modalities",
    isIn: ({ modalities }) => list(modalities).includes("audio"),
    words: "no spoken answers (modalities: audio)",
  },
  soundFormats: {
    member: "audio",
    isIn: ({ modalities, audio }) => list(modalities).includes("audio") && isJson(audio) && audio.format !== "pcm16",
    words: "no sound of that format (audio.format): it is pcm16",
  },
  hearing: {
    member: "messages",
    isIn: (body) => anyPart(body, ({ type }) => type === "input_audio"),
    words: "no parts of type input_audio",
  },
  webSearch: {
    member: "web_search_options",
    isIn: ({ web_search_options }) => isJson(web_search_options),
    words: "no search of the web (web_search_options)",
  },
  keptFiles: {
    member: "messages",
    isIn: (body) => anyPart(body, isForeignFile),
    words: "no file of that file_id: send the file itself as file_data",
  },
  blankStops: {
    member: "stop",
    isIn: ({ stop }) => [stop].flat().some(isBlank),
    words: "no blanks to stop at (stop): name a sequence with another character",
  },
  functionTurns: {
    member: "messages",
    isIn: (body) => anyTurn(body, ({ role }) => role === "function"),
    words: "no messages of the role function: send tool_calls and the role tool",
  },
} as const satisfies Readonly<Record<string, Demand>>;
export type Lack = keyof typeof DEMANDS;
export const LACKS = Object.keys(DEMANDS) as readonly Lack[]; // its own keys

/** What no wire of a vendor's own has. */
const NOWHERE: readonly Demand[] = [
  DEMANDS.functions,
  { member: "function_call", isIn: ({ function_call }) => isSet(function_call), words: "no function_call: send tool_choice" },
  {
    member: "tools",
    isIn: ({ tools }) => list(tools).some(isFreeText),
    words: "no tools of type custom: a function takes its input as JSON",
  },
  {
    member: "tool_choice",
    isIn: ({ tool_choice: choice }) => isJson(choice) && !isJson(choice.function) && choice.type !== "allowed_tools",
    words: "no tool_choice of that type",
  },
  {
    member: "messages",
    isIn: (body) => anyTurn(body, ({ function_call }) => isSet(function_call)),
    words: "no function_call in messages: send tool_calls",
  },
  {
    member: "messages",
    isIn: (body) => anyTurn(body, ({ tool_calls }) => list(tool_calls).some(isFreeText)),
    words: "no tool_calls of type custom",
  },
  {
    member: "reasoning_effort",
    isIn: ({ reasoning_effort: effort }) => isSet(effort) && !EFFORTS.has(String(effort)),
    words: `no such reasoning_effort: it is one of ${[...EFFORTS].join(", ")}`,
  },
];

export function refuseLacking(body: Json, provider: string, lacks: readonly Lack[]): void {
  for (const demand of NOWHERE) refuse(demand, body, provider);
  refuseLacks(body, provider, lacks);
}
export function refuseLacks(body: Json, provider: string, lacks: readonly Lack[]): void {
  for (const lack of lacks) refuse(DEMANDS[lack], body, provider);
}
function refuse({ member, isIn, words }: Demand, body: Json, provider: string): void {
  if (isIn(body)) throw new GatewayError("REQUEST_INVALID", { what: `${provider} has ${words}.` }, { param: member });
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
type Test = (value: Json) => boolean;
const anyTurn = ({ messages }: Json, test: Test): boolean => list(messages).some((turn) => isJson(turn) && test(turn));
const anyPart = (body: Json, test: Test): boolean =>
  anyTurn(body, ({ content }) => Array.isArray(content) && content.some((part) => isJson(part) && test(part)));
const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const isText = (text: unknown): boolean => typeof text === "string" && text !== "";
const isBlank = (text: unknown): boolean => isText(text) && String(text).trim() === "";
/** OpenAI's own; a vendor's tool may have the same type and says what it is beside it. */
const isFreeText = (entry: unknown): boolean => isJson(entry) && entry.type === "custom" && isJson(entry.custom);
/** An id rather than an address: what another vendor keeps cannot be read here. */
const isForeignFile = ({ type, file }: Json): boolean =>
  type === "file" &&
  isJson(file) &&
  typeof file.file_id === "string" &&
  !isSet(file.file_data) &&
  !isSet(file.file_url) &&
  !isPlace(file.file_id);
const isPlace = (id: string): boolean => id.includes("://") || id.startsWith("files/");
