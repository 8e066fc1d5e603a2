import { GatewayError, messageOf, type PreparedRestore } from "#contract";

/** A copy that lies ready, and what it is called. */
export interface RestorePart extends PreparedRestore {
  readonly name: string;
}

/** Puts all parts in place; returns where what was there is kept. What could not be put in place is not left lying about. */
export async function inPlace(parts: readonly RestorePart[], aside: string): Promise<readonly string[]> {
  const kept: string[] = [];
  try {
    for (const part of parts) kept.push(await part.replace(aside));
    return kept;
  } catch (error) {
    for (const part of parts.slice(kept.length)) await part.discard();
    throw kept.length === 0 ? error : incomplete(parts, kept, error);
  }
}

const incomplete = (parts: readonly RestorePart[], kept: readonly string[], cause: unknown): GatewayError => {
  const names = parts.map(({ name }) => name);
  const [done, failed, replaced] = [names.slice(0, kept.length), names.slice(kept.length), [...new Set(kept)]];
  const details = { done: done.join(", "), failed: failed.join(", "), why: messageOf(cause), kept: replaced.join(", ") };
  return new GatewayError("RESTORE_INCOMPLETE", details, { cause });
};
