/** An item of an answer that the gateway put together: which answer, and where in its output. */
export interface ItemRef {
  /** What the ids of the answer are made of: `resp_gw_<seed>`. */
  readonly seed: string;
  readonly index: number;
}

/** The id of an item tells where it stands, so that a reference to it can be followed. */
export const itemId = (prefix: string, { seed, index }: ItemRef): string => `${prefix}_${seed}${index.toString(16).padStart(DIGITS, "0")}`;
const DIGITS = 4;

/** Nothing for ids that a provider made. */
export function itemRefOf(id: string): ItemRef | undefined {
  const [, seed, index] = OWN.exec(id) ?? [];
  return seed === undefined || index === undefined ? undefined : { seed, index: Number.parseInt(index, 16) };
}
const OWN = /^[a-z]+_([0-9a-f]{32})([0-9a-f]{4})$/;
