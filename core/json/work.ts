import { GatewayError } from "#contract";

/** What a JSON text may be like, beside its length. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** A list may stand in place of the object. */
  readonly lists?: true;
  /** Values and names of members together; DATA_VALUES unless it says otherwise. */
  readonly maxValues?: number;
  /** Names of members alone, repeated ones too. */
  readonly maxNames?: number;
  /** Objects and arrays alone; DATA_CONTAINERS unless it says otherwise. */
  readonly maxContainers?: number;
  /** Values alone that hold no others: texts, numbers, true, false, null. */
  readonly maxPlain?: number;
  /** What the parser may take for all of it, by COSTS; MAX_WORK_MS unless it says otherwise. */
  readonly maxWorkMs?: number;
}

/** Data plane: long conversations and batches of inputs have fewer. */
const DATA_VALUES = 500_000;
/** Messages, their parts, tools and their schemas: each is work for whoever maps the body to a provider's own, in one turn. */
const DATA_CONTAINERS = 15_000;
const VALUES = "JSON values and names of members";
/** Nobody else is served while the parser works. */
const MAX_WORK_MS = 50;

/** Nanoseconds of the parser for each, on a busy machine with Bun 1.4.5. */
const COSTS = { characters: 1, values: 18, containers: 50, newNames: 1_500, newTexts: 400, escapes: 35, longNumbers: 150 } as const;
const CALLED: Readonly<Record<keyof typeof COSTS, string>> = {
  characters: "characters",
  values: VALUES,
  containers: "objects and arrays",
  newNames: "different names of members",
  newTexts: "different short texts",
  escapes: "escaped characters",
  longNumbers: "long numbers",
};

/** What has been read of a text. */
export class Counts {
  characters = 0;
  names = 0;
  containers = 0;
  /** Values that hold no others. */
  plain = 0;
  newNames = 0;
  newTexts = 0;
  escapes = 0;
  longNumbers = 0;
  get values(): number {
    return this.names + this.containers + this.plain;
  }
}

/** Throws at the first count that is too much; says which part of the allowed work all of them are. */
export function shareOfWork(counts: Counts, limits: JsonLimits): number {
  const { maxValues = DATA_VALUES } = limits;
  const { maxNames = maxValues, maxContainers = Math.min(maxValues, DATA_CONTAINERS), maxPlain = maxValues } = limits;
  if (counts.values > maxValues) throw tooMany(maxValues, VALUES);
  if (counts.names > maxNames) throw tooMany(maxNames, "names of members");
  if (counts.containers > maxContainers) throw tooMany(maxContainers, CALLED.containers);
  if (counts.plain > maxPlain) throw tooMany(maxPlain, "texts, numbers and other plain values");
  const share = nsOf(counts) / ((limits.maxWorkMs ?? MAX_WORK_MS) * 1e6);
  if (share > 1) throw tooMuch(counts);
  return share;
}
const KINDS = Object.keys(COSTS) as (keyof typeof COSTS)[]; // the keys of a literal
const nsOf = (counts: Counts): number => KINDS.reduce((sum, kind) => sum + counts[kind] * COSTS[kind], 0);
/** Says what most of it would be for. */
function tooMuch(counts: Counts): GatewayError {
  const [most = "values"] = KINDS.toSorted((a, b) => counts[b] * COSTS[b] - counts[a] * COSTS[a]);
  return takesLong(counts[most], CALLED[most]);
}
export const takesLong = (count: number, what: string): GatewayError => new GatewayError("BODY_TAKES_LONG", { count, what });
const tooMany = (limit: number, of: string): GatewayError => new GatewayError("BODY_TOO_MANY_VALUES", { limit, of });
export const tooDeep = ({ maxDepth }: Pick<JsonLimits, "maxDepth">): GatewayError => new GatewayError("BODY_TOO_DEEP", { limit: maxDepth });
