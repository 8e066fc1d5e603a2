import { type ListQuery, nextTurn, type Records } from "#contract";

/** Records that are read in one go at first: each may be as large as a body. Then as many as this much work allows. */
const AT_ONCE = 4;
const TURN_MS = 10;

/**
 * A page of records as they are shown. A longer one is read in slices, so that others have their turn: first which
 * records there are, then what is in them. One that is removed meanwhile is left out.
 */
export async function pageOf<T extends { readonly id: string }, Shown>(
  records: Records<T>,
  query: ListQuery<T>,
  members: readonly (keyof T & string)[],
  view: (record: T) => Shown,
): Promise<{ readonly data: readonly Shown[]; readonly total: number }> {
  if (query.limit <= AT_ONCE) return viewed(await records.list(query), view);
  const { data: found, total } = await records.list({ ...query, omit: members.filter((member) => member !== "id") });
  const data: Shown[] = [];
  for (let at = 0, size = AT_ONCE; at < found.length; ) {
    const before = process.cpuUsage(); // waiting for a database holds nobody up
    for (const record of await inOrder(records, found.slice(at, at + size), query)) data.push(view(record));
    at += size;
    size = nextSize(size, process.cpuUsage(before));
    await nextTurn();
  }
  return { data, total };
}

const nextSize = (size: number, { user, system }: NodeJS.CpuUsage): number =>
  Math.max(1, Math.min(2 * size, Math.floor((size * TURN_MS * 1_000) / (user + system + 1))));

const viewed = <T, Shown>({ data, total }: { readonly data: readonly T[]; readonly total: number }, view: (record: T) => Shown) => ({
  data: data.map((record) => view(record)),
  total,
});

/** These records, in this order. */
async function inOrder<T extends { readonly id: string }>(
  records: Records<T>,
  of: readonly { readonly id: string }[],
  { omit }: Pick<ListQuery<T>, "omit">,
): Promise<T[]> {
  const ids = of.map(({ id }) => id);
  const where = { id: ids } as unknown as ListQuery<T>["where"]; // T has an id
  const { data } = await records.list({ ...(where && { where }), limit: ids.length, offset: 0, ...(omit && { omit }) });
  const byId = new Map(data.map((record) => [record.id, record]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
