/**
 * THE table of what a client of any dialect may ask of any provider, and what becomes of it. `docs/dialects.md` is written
 * from it, and the test beside it walks each of its cells.
 */
export const DIALECTS = ["chat", "messages", "responses", "gemini"] as const;
export type Dialect = (typeof DIALECTS)[number];
/** How a vendor is asked: `converse` is AWS's own. */
export type Wire = Dialect | "converse";

interface Provider {
  readonly title: string;
  /** What it is called, where that is not the name of its column. */
  readonly id?: string;
  readonly model: string;
  /** How a file is called that it keeps. */
  readonly file?: string;
  /** The wire that serves clients of each dialect. */
  readonly wires: Readonly<Record<Dialect, Wire>>;
  /** What its column is about, where that is not every dialect: what clients of this one have by a header. */
  readonly by?: { readonly dialect: Dialect; readonly headers: Readonly<Record<string, string>> };
}
const all = (wire: Wire, own: Partial<Record<Dialect, Wire>> = {}): Provider["wires"] => ({
  ...{ chat: wire, messages: wire, responses: wire, gemini: wire },
  ...own,
});
const OPENAI = all("chat", { responses: "responses" });
const BY_RESPONSES = { dialect: "messages", headers: { "x-gateway-beta": "use-responses-api-2026-07-30" } } as const;
export const PROVIDERS = {
  openai: { title: "openai", model: "gpt-5", wires: OPENAI },
  "openai-responses": { title: "openai, by Responses", id: "openai", model: "gpt-5", wires: all("responses"), by: BY_RESPONSES },
  "azure-openai": { title: "azure-openai", model: "gpt-5", wires: OPENAI },
  anthropic: { title: "anthropic", model: "claude-sonnet-4-5", wires: all("messages") },
  bedrock: {
    title: "bedrock (Claude)",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    wires: all("converse", { messages: "messages" }),
  },
  google: {
    title: "google",
    model: "gemini-2.5-flash",
    file: "https://generativelanguage.googleapis.com/v1beta/files/file-1",
    wires: all("gemini"),
  },
  "vertex-ai": { title: "vertex-ai (Gemini)", model: "gemini-2.5-flash", file: "gs://bucket/file-1", wires: all("gemini") },
  "vertex-ai-claude": {
    title: "vertex-ai (Claude)",
    id: "vertex-ai",
    model: "anthropic.claude-sonnet-4-5@20250929",
    wires: all("messages"),
  },
  groq: { title: "groq", model: "openai/gpt-oss-120b", wires: OPENAI },
  "mistral-ai": { title: "mistral-ai", model: "mistral-large-latest", wires: all("chat") },
  deepseek: { title: "deepseek", model: "deepseek-chat", wires: all("chat") },
  "openai-compatible": { title: "any OpenAI-compatible", model: "m", wires: all("chat") },
} as const satisfies Readonly<Record<string, Provider>>;
export type ProviderId = keyof typeof PROVIDERS;
const PROVIDER_IDS = Object.keys(PROVIDERS) as ProviderId[]; // its own keys
const byOf = (provider: ProviderId): Provider["by"] => (PROVIDERS[provider] as Provider).by;
/** The columns of a dialect's table. */
export const providersOf = (dialect: Dialect): readonly ProviderId[] =>
  PROVIDER_IDS.filter((provider) => (byOf(provider)?.dialect ?? dialect) === dialect);
export const headersBy = (provider: ProviderId): Readonly<Record<string, string>> => byOf(provider)?.headers ?? {};
export const providerOf = (provider: ProviderId): string => (PROVIDERS[provider] as Provider).id ?? provider;
export const fileOf = (provider: ProviderId): string => (PROVIDERS[provider] as Provider).file ?? "file-1";
export const wireOf = (dialect: Dialect, provider: ProviderId): Wire => PROVIDERS[provider].wires[dialect];

/** What becomes of it: `left out` is a hint without which the answer is the same. */
export type Cell = "yes" | "translated" | "left out" | "refused" | "–";
/** What does not follow from the wires. */
interface Exception {
  readonly cell: Cell;
  readonly dialects?: readonly Dialect[];
  readonly wires?: readonly Wire[];
  readonly providers?: readonly ProviderId[];
}
interface Row {
  readonly title: string;
  /** Dialects whose form has it. Default: every one. */
  readonly dialects?: readonly Dialect[];
  /** The first that fits counts; else it is `yes` where the provider speaks the dialect, and `translated` elsewhere. */
  readonly except?: readonly Exception[];
}
const CLAUDE: readonly Wire[] = ["messages", "converse"];

export const FEATURES = {
  text: { title: "Text" },
  tools: { title: "Tools, and their calls" },
  parallel: { title: "Parallel calls" },
  "no-arguments": { title: "A call without arguments" },
  "long-arguments": { title: "300 kB of arguments" },
  results: { title: "Results of tools" },
  images: { title: "Images" },
  files: { title: "Files (PDF)" },
  "kept-files": {
    title: "Files by the id, or address, that their provider gave them",
    except: [
      { cell: "refused", providers: ["bedrock", "vertex-ai-claude"] },
      { cell: "yes", dialects: ["messages"], providers: ["anthropic"] },
      { cell: "refused", dialects: ["messages"], wires: ["chat", "messages", "converse", "gemini"] },
      { cell: "yes", dialects: ["gemini"], wires: ["gemini"] },
      { cell: "refused", dialects: ["gemini"] },
    ],
  },
  structured: { title: "Structured output", except: [{ cell: "translated", providers: ["vertex-ai-claude"] }] },
  effort: {
    title: "How much to think, by an effort or a level",
    except: [{ cell: "left out", dialects: ["messages"], providers: ["vertex-ai-claude"] }],
  },
  budget: {
    title: "How much to think, by a budget of tokens",
    dialects: ["messages", "gemini"],
    except: [{ cell: "left out", dialects: ["messages"], wires: ["chat", "responses"] }],
  },
  thoughts: { title: "Thoughts in answers" },
  caching: {
    title: "Marks for the prompt cache",
    dialects: ["chat", "messages"],
    except: [
      { cell: "left out", wires: ["gemini"] },
      { cell: "left out", dialects: ["messages"], wires: ["chat", "responses"] },
      { cell: "left out", providers: ["openai", "azure-openai", "groq", "mistral-ai"] },
    ],
  },
  "stop-sequences": { title: "Stop sequences", dialects: ["chat", "messages", "gemini"] },
  "stop-reasons": { title: "Stop reasons" },
  refusals: { title: "Refusals" },
  usage: { title: "Usage, cached input apart" },
  errors: { title: "Errors in the client's form" },
  choices: {
    title: "Several choices",
    dialects: ["chat", "gemini"],
    except: [{ cell: "refused", wires: CLAUDE }],
  },
  logprobs: {
    title: "Log probabilities",
    dialects: ["chat", "responses", "gemini"],
    except: [
      { cell: "refused", wires: CLAUDE },
      { cell: "refused", providers: ["groq", "mistral-ai"], wires: ["chat"] },
    ],
  },
  hearing: {
    title: "Sound in",
    dialects: ["chat", "responses", "gemini"],
    except: [{ cell: "refused", wires: CLAUDE }],
  },
  speech: {
    title: "Sound out",
    dialects: ["chat", "gemini"],
    except: [
      { cell: "refused", wires: CLAUDE },
      { cell: "refused", providers: ["mistral-ai"] },
    ],
  },
} as const satisfies Readonly<Record<string, Row>>;
export type FeatureId = keyof typeof FEATURES;
export const FEATURE_IDS = Object.keys(FEATURES) as FeatureId[]; // its own keys

export function cellOf(feature: FeatureId, dialect: Dialect, provider: ProviderId): Cell {
  const { dialects = DIALECTS, except = [] }: Row = FEATURES[feature];
  if (!dialects.includes(dialect)) return "–";
  const wire = wireOf(dialect, provider);
  const exception = except.find(
    ({ dialects: of = DIALECTS, wires = [wire], providers = [provider] }) =>
      of.includes(dialect) && wires.includes(wire) && providers.includes(provider),
  );
  return exception?.cell ?? (wire === dialect ? "yes" : "translated");
}
