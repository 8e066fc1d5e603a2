/**
 * Our standard output carries frames, and a word between them would cost the process: what code of a plugin writes there by
 * itself goes nowhere. For good, since the process does nothing but answer.
 */
export function silence(): void {
  const nothing = (): void => undefined;
  for (const [name, member] of Object.entries(console))
    if (typeof member === "function" && name !== "Console") Object.assign(console, { [name]: nothing });
  process.stdout.write = (_text: unknown, encoding?: unknown, done: unknown = encoding): boolean => {
    if (typeof done === "function") queueMicrotask(() => done()); // whoever waits until it is written need not
    return true;
  };
}
