import { GatewayError } from "./errors.ts";
import { nextTurn } from "./next-turn.ts";
import type { ListQuery, Records } from "./storage.ts";

/** Read in one turn. */
const SLICE = 2_000;
/** A condition of more is longer than databases take. */
const MOST = 10_000;

/** Ids of the records that fit, where a database could not tell them: it compares whole members only. All are looked at, in slices. */
export async function idsThat<T extends { readonly id: string }>(
  records: Records<T>,
  query: Pick<ListQuery<T>, "where" | "omit">,
  fits: (record: T) => boolean,
  param: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += SLICE) {
    const { data } = await records.list({ ...query, limit: SLICE, offset });
    for (const record of data) if (fits(record)) ids.push(record.id);
    if (ids.length > MOST) throw tooMany(param);
    if (data.length < SLICE) return ids;
    await nextTurn();
  }
}
const tooMany = (param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The filter ${param} finds more than ${MOST}: say more, or list without it.` }, { param });
