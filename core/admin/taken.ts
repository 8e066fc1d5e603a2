import { GatewayError, type Json } from "#contract";
import { type On, type Row, rowsOf } from "./record.ts";

/** Runs a write of a record; what fails because another one has its values says which of them. */
export async function refusingTaken<R>(on: On, record: Row, write: () => Promise<R>): Promise<R> {
  try {
    return await write();
  } catch (thrown) {
    if (!GatewayError.is(thrown) || thrown.code !== "CONFLICT") throw thrown;
    throw await namingTaken(on, record, thrown);
  }
}

async function namingTaken(on: On, record: Row, cause: GatewayError): Promise<GatewayError> {
  const { noun, collection } = on.resource;
  for (const members of collection.unique ?? []) {
    const other = await rowsOf(on).first(picked(record, members));
    if (other === undefined || other.id === record.id) continue;
    const shown = members.filter((member) => isWritten(on, member));
    const values = shown.map((member) => `the ${member} "${String(record[member])}"`).join(" and ");
    const what = `${article(noun)} ${noun}${values === "" ? "" : ` with ${values}`}`;
    return new GatewayError("CONFLICT", { what }, { cause, ...(shown[0] !== undefined && { param: shown[0] }) });
  }
  return new GatewayError("CONFLICT", { what: `${article(noun)} ${noun} with these values` }, { cause }); // removed again meanwhile
}

/** What a client writes is its own to see: tenants are the caller's, and a digest is nobody's. */
const isWritten = ({ resource }: On, member: string): boolean =>
  member in (resource.create?.body.properties ?? {}) || member in (resource.update?.body.properties ?? {});
const picked = (record: Row, members: readonly string[]): Json =>
  Object.fromEntries(members.map((member) => [member, record[member] ?? null]));
const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? "An" : "A");
