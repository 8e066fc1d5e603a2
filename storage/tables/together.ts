import type { Json, Records, Write } from "#contract";

/** Takes a transaction back whose writes do not all hold; never leaves the storage. */
export class NotHeld extends Error {
  override readonly name = "NotHeld";
}

/** Makes one of several writes; throws NotHeld where its record is absent, or differs. */
export async function made(write: Write, records: Records<Json>): Promise<void> {
  if (write.kind === "insert") return records.insert(write.value);
  if (write.kind === "insertMissing") return records.insertMissing(write.values);
  const holds = write.kind === "update" ? records.update(write.id, write.patch, write.expect) : records.remove(write.id);
  if (!(await holds)) throw new NotHeld();
}

/** `false` where a write did not hold. */
export async function allHeld(transaction: Promise<unknown>): Promise<boolean> {
  try {
    await transaction;
    return true;
  } catch (thrown) {
    if (thrown instanceof NotHeld) return false;
    throw thrown;
  }
}
