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
  readonly model: string;
  /** The wire that serves clients of each dialect. */
  readonly wires: Readonly<Record<Dialect, Wire>>;
}
const all = (wire: Wire, own: Partial<Record<Dialect, Wire>> = {}): Provider["wires"] => ({
  ...{ chat: wire, messages: wire, responses: wire, gemini: wire },
  ...own,
});
const OPENAI = all("chat", { responses: "responses" });
export const PROVIDERS = {
  openai: { title: "openai", model: "gpt-5", wires: OPENAI },
  "azure-openai": { title: "azure-openai", model: "gpt-5", wires: OPENAI },
  anthropic: { title: "anthropic", model: "claude-sonnet-4-5", wires: all("messages") },
  bedrock: {
    title: "bedrock (Claude)",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    wires: all("converse", { messages: "messages" }),
  },
  google: { title: "google", model: "gemini-2.5-flash", wires: all("gemini") },
  "vertex-ai": { title: "vertex-ai (Gemini)", model: "gemini-2.5-flash", wires: all("gemini") },
  groq: { title: "groq", model: "openai/gpt-oss-120b", wires: OPENAI },
  "mistral-ai": { title: "mistral-ai", model: "mistral-large-latest", wires: all("chat") },
  deepseek: { title: "deepseek", model: "deepseek-chat", wires: all("chat") },
  "openai-compatible": { title: "any OpenAI-compatible", model: "m", wires: all("chat") },
} as const satisfies Readonly<Record<string, Provider>>;
export type ProviderId = keyof typeof PROVIDERS;
export const PROVIDER_IDS = Object.keys(PROVIDERS) as ProviderId[]; // its own keys
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
    title: "Files by their id",
    dialects: ["chat", "responses"],
    except: [
      { cell: "refused", wires: ["converse", "gemini"] },
      { cell: "translated", wires: ["messages"] },
    ],
  },
  structured: { title: "Structured output" },
  effort: { title: "How much to think", except: [{ cell: "left out", dialects: ["messages"], wires: ["chat"] }] },
  thoughts: { title: "Thoughts in answers" },
  caching: {
    title: "Marks for the prompt cache",
    dialects: ["chat", "messages"],
    except: [
      { cell: "left out", wires: ["gemini"] },
      { cell: "left out", dialects: ["messages"], wires: ["chat"] },
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
