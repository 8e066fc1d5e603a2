import { type Adapter, OPERATION_IDS, OPERATIONS, type Provider } from "#contract";

/** The same adapter for every operation of one group of OpenAI's API: what a provider has of such a group, it has whole. */
export const serving = (tag: string, adapter: Adapter): Provider["operations"] =>
  Object.fromEntries(OPERATION_IDS.filter((id) => OPERATIONS[id].tag === tag).map((id) => [id, adapter]));
