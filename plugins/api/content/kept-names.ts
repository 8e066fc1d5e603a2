/*
 * Nobody knows which of the words in a path, a query, a body or an answer is an id, nor what an API of tomorrow calls its
 * things. What looks like no word is taken for one, and so is what stands in a collection that providers are known to have.
 */

/** Longer than any provider's id. */
const LONGEST = 1_024;
/** Shorter ones are words. */
const SHORTEST_RANDOM = 16;
/** Of whatever letters a name in them is, it is a thing that somebody made: `files/k3jd8f0s2l4x`. */
const COLLECTIONS: ReadonlySet<string> = new Set([
  ...["files", "cachedcontents", "operations", "corpora", "documents", "filesearchstores", "batches", "datasets"],
  ...["ragcorpora", "ragfiles", "batchpredictionjobs", "tuningjobs", "customjobs"],
]);

/** May it be one at all? */
export const mayBeId = (text: string): boolean => text !== "" && text.length <= LONGEST && !/\s/.test(text);

/** A thing in a collection, as `namesIn` says it, or a text that is no word. */
export function looksLikeId(text: string): boolean {
  if (text.length > LONGEST) return false;
  const [collection = "", name = "", ...rest] = text.split("/");
  return (rest.length === 0 && name !== "" && COLLECTIONS.has(collection)) || looksRandom(text);
}
/** Sixteen letters and digits on end, both among them, or a UUID: no word, no name of a model and no date. A colon has a verb behind it. */
function looksRandom(text: string): boolean {
  if (text.length < SHORTEST_RANDOM || text.length > LONGEST || text.includes(":")) return false;
  return (RANDOM.test(text) || UUID.test(text)) && !CALL.test(text);
}
/** Calls of tools are told by ids within one conversation; no provider keeps them. */
const CALL = /^(?:call|toolu|srvtoolu|tooluse)_/;
const RANDOM = /(?<![A-Za-z0-9])(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,}/;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** Things in collections whose own names may be words; what looks like an id is one wherever it stands. */
export const inCollections = (steps: readonly string[]): readonly string[] =>
  steps.flatMap((step, at) => {
    const collection = (steps[at - 1] ?? "").toLowerCase();
    const name = withoutVerb(step);
    return COLLECTIONS.has(collection) && isName(name) ? [`${collection}/${name}`] : [];
  });
const isName = (text: string): boolean => text !== "" && !looksRandom(text) && !COLLECTIONS.has(text.toLowerCase());
export const withoutVerb = (step: string): string => (step.includes(":") ? step.slice(0, step.lastIndexOf(":")) : step);

/** The id in the full name of a thing: `projects/p/locations/l/cachedContents/1` is `cachedcontents/1`. */
export function idInName(name: string): string {
  if (name.length > LONGEST || !name.includes("/")) return name;
  const steps = name.split("/");
  const last = steps.at(-1) ?? "";
  return looksRandom(last) ? last : (inCollections(steps.slice(-2))[0] ?? name);
}

/** Where Google keeps files: an address there is that of a thing, any other leads to anybody's server. */
const GOOGLES = /^\s*https?:\/\/(?:[^/?#@]*@)?generativelanguage\.googleapis\.com(?![\w.-])/i;
/** Paths are shorter; what stands behind them does not matter. */
const LONGEST_ADDRESS = 8 * LONGEST;

/** The id of a kept thing that is named by its address, or by its name alone; `undefined` for what is kept elsewhere, or is none. */
export function idInAddress(text: string): string | undefined {
  const isGoogles = GOOGLES.test(text);
  if (!isGoogles && (text.length > LONGEST || text.includes(":"))) return undefined;
  const path = text.slice(0, LONGEST_ADDRESS).replace(/[?#].*$/s, "");
  const steps = decoded(path).split("/").filter(Boolean).slice(-2);
  const id = inCollections(steps)[0] ?? steps.at(-1) ?? "";
  return steps.length === 2 && looksLikeId(id) ? id : undefined;
}
/** As it is where a percent sign is its own. */
export function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
