/** A text decoded until nothing changes, since who reads it behind us may do so more than once; `undefined` where it was not encoded well. */
export function whollyDecoded(text: string): string | undefined {
  let read = text;
  for (let times = 0; times < MOST_TIMES && read.includes("%"); times += 1) {
    const next = decoded(read);
    if (next === undefined || next === read) return times === 0 ? next : read;
    read = next;
  }
  return read;
}
const MOST_TIMES = 4;
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
