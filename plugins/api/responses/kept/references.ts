import { type Caller, GatewayError, type Json } from "#contract";
import { objects } from "../../content/wire.ts";
import { type ItemRef, itemRefOf } from "../output/item-id.ts";
import { carried } from "./items.ts";
import { ownId } from "./record.ts";
import { type KeptStore, MAX_BYTES } from "./store.ts";

type Items = readonly Json[];

/** Clients that count on kept answers send the id of an item in its place; its type may be left out then. */
function referenceIn({ type, id, role }: Json): ItemRef | undefined {
  const isReference = type === "item_reference" || ((type === undefined || type === null) && role === undefined);
  return isReference && typeof id === "string" ? itemRefOf(id) : undefined;
}
export const hasReferences = (input: unknown): boolean => objects(input).some((item) => referenceIn(item) !== undefined);

/** Answers that the references of one request may be of. */
const MOST = 500;

/** Items without references to what the gateway said earlier: the items themselves stand in their places. */
export async function resolved(items: Items, caller: Caller, store: KeptStore): Promise<{ items: Items; bytes: number }> {
  const seeds = new Set(items.flatMap((item) => referenceIn(item)?.seed ?? []));
  if (seeds.size > MOST) throw refused(`The input refers to items of more than ${MOST} answers.`);
  const outputs = new Map<string, ById>();
  let bytes = 0;
  for (const seed of seeds) {
    const record = await store.find(ownId(seed), caller);
    bytes += record?.bytes ?? 0;
    if (bytes > MAX_BYTES) throw refused(`The input refers to answers of more than ${MAX_BYTES / 1024 / 1024} MB.`);
    const content = record && (await store.content(record));
    outputs.set(seed, byId(objects(content?.response.output)));
  }
  return { items: items.map((item) => itselfOf(item, outputs)), bytes };
}

type ById = ReadonlyMap<unknown, Json>;
/** Of two with one id the first counts. */
const byId = (items: Items): ById => new Map(items.map((item) => [item.id, item] as const).reverse());

function itselfOf(item: Json, outputs: ReadonlyMap<string, ById>): Json {
  const reference = referenceIn(item);
  if (reference === undefined) return item;
  const found = outputs.get(reference.seed)?.get(item.id);
  if (found) return carried(found);
  throw refused(
    `The item ${String(item.id)} was not found: its answer was never kept, is of another workspace, has expired or was deleted. Send the item itself.`,
  );
}
const refused = (what: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param: "input" });
